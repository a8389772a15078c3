"""Give the call that makes a tensor its dtype or device: `torch.ones(n, 1, dtype=latent.dtype)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ..at_hand import LAYERS
from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import likes, spellings
from ..nodes import assigned, called, keyword, name_of, with_argument
from ..rounding import is_wide_on_purpose, rounds_too_early
from ..safety import widens
from ..source import Source

ORDER = 10
_STATED = 45  # further from the mistake: somebody wrote the dtype down
_SCHEDULES = frozenset({"linspace", "logspace", "arange"})
_OF_DATA = ("tensor", "as_tensor", "asarray")
_PLAIN = frozenset({"from_numpy", "from_dlpack", "load", "as_subclass"})
"""They take no dtype; nor does a class, such as `DataLoader`, that is none of torch's layers."""


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield changes of the call that created a tensor, if it is on the line."""
    if site.role not in ("born", "loaded", "given") or _takes_no_dtype(site.op):
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    for name in _OF_DATA if site.op in _OF_DATA else (site.op,):
        for call in source.calls(site.location.line, name):
            stated = site.about in map(name_of, call.args)
            if stated or not site.computed:
                far = ORDER + (_STATED if stated and not site.blamed else 0)
                lost = max(_precision_loss(site), int(_stays(source, site, call)))
                made = replace(builder, order=far, precision_loss=lost)
                yield from _at_call(made, call)


def _takes_no_dtype(op: str) -> bool:
    return op in _PLAIN or (op[:1].isupper() and op not in LAYERS)


def _at_call(builder: ChangeBuilder, call: cst.Call) -> Iterator[Change]:
    source, site = builder.source, builder.site
    if not (is_wide_on_purpose(site, call) or rounds_too_early(source, site, call)):
        texts = spellings(source, call, site, likes(source, call, site.beside))
        values = map(cst.parse_expression, texts)
        new = (with_argument(call, keyword(site.about, value)) for value in values)
        yield from builder.replaced(call, *new, op=site.op)


def _stays(source: Source, site: EditSite, call: cst.Call) -> bool:
    """Check whether what is made here is moved later, in parts, or put into a data set: it stays where it is."""
    statement = source.above(call, cst.SimpleStatementLine)
    names = set(map(source.text, assigned(statement))) if statement else set()
    if site.about != "device" or not names:
        return False
    own, line = source.function(call), source.line(call)
    later = (n for n in source.of(cst.Call) if source.line(n) > line)
    apart = (_kept_apart(source, n) for n in later if source.function(n) is own)
    return any(not names.isdisjoint(one) for one in apart)


def _kept_apart(source: Source, call: cst.Call) -> Iterator[str]:
    """Yield the names that a call moves, or that it makes a data set of."""
    if called(call) in ("to", "cuda") and isinstance(call.func, cst.Attribute):
        yield source.text(call.func.value).partition("[")[0]
    elif called(call).endswith(("Dataset", "DataLoader")):
        yield from (source.text(one.value) for one in call.args)


def _precision_loss(site: EditSite) -> int:
    """Return the cost. A schedule is for computing: it is rounded where used, not where made."""
    schedule = site.op in _SCHEDULES and site.about == "dtype"
    rounds = schedule and not widens(site.have, site.want)
    return max(site.precision_loss, int(rounds))
