"""Give the call that makes a tensor its dtype or device: `torch.ones(n, 1, dtype=latent.dtype)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ..at_hand import LAYERS
from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import likes, spellings
from ..nodes import called, keyword, name_of, with_argument
from ..rounding import rounds_too_early
from ..safety import widens
from ..source import Source

ORDER = 10
_STATED = 45  # further from the mistake: somebody wrote the dtype down
_SCHEDULES = frozenset({"linspace", "logspace", "arange"})
_PLAIN = frozenset({"from_numpy", "from_dlpack", "load", "as_subclass"})
"""They take no dtype; nor does a class, such as `DataLoader`, that is none of torch's layers."""


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield changes of the call that created a tensor, if it is on the line."""
    if (
        site.role not in ("born", "loaded", "given")
        or site.op in _PLAIN
        or (site.op[:1].isupper() and site.op not in LAYERS)
    ):
        return
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=_precision_loss(site)
    )
    for call in source.calls(site.location.line, site.op):
        stated = site.about in map(name_of, call.args)
        if (stated or not site.computed) and not rounds_too_early(source, site, call):
            order = ORDER + _STATED if stated and not site.blamed else ORDER
            lost = max(builder.precision_loss or 0, int(_is_moved(source, site, call)))
            yield from replace(builder, order=order, precision_loss=lost).replaced(
                call, *_given(source, site, call), op=site.op
            )


def _is_moved(source: Source, site: EditSite, call: cst.Call) -> bool:
    """Check whether what is made here is moved later, or in parts: it stays on purpose where it is."""
    statement = source.above(call, cst.Assign)
    if site.about != "device" or statement is None:
        return False
    names = {source.text(target.target) for target in statement.targets}
    own, line = source.function(call), source.line(call)
    return any(
        called(move) in ("to", "cuda")
        and isinstance(move.func, cst.Attribute)
        and source.text(move.func.value).partition("[")[0] in names
        and source.function(move) is own
        and source.line(move) > line
        for move in source.of(cst.Call)
    )


def _given(source: Source, site: EditSite, call: cst.Call) -> Iterator[cst.CSTNode]:
    for text in spellings(source, call, site, likes(source, call, site.beside)):
        yield with_argument(call, keyword(site.about, cst.parse_expression(text)))


def _precision_loss(site: EditSite) -> int:
    """Return the cost. A schedule is for computing: it is rounded where used, not where made."""
    rounds = (
        site.op in _SCHEDULES
        and site.about == "dtype"
        and not widens(site.have, site.want)
    )
    return max(site.precision_loss, int(rounds))
