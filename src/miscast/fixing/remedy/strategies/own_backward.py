"""Run the backward pass of an own autograd function under the autocast of its forward pass: `torch.amp.custom_bwd`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import libcst as cst

from ....core.dtypes import HALVES
from ....core.event import Operand
from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import called, last
from ..source import Source
from ..words import place
from .context import device_kind

ORDER = 30
_REASON = "the backward pass computes under autocast, as the forward pass does"
_DECORATORS = {"forward": "custom_fwd", "backward": "custom_bwd"}


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield both decorators where a line of `backward` mixes a half dtype, as autocast gives, with another."""
    owner, torch = _function(source, site), source.imported("torch")
    if owner is None or not torch or site.other is None:
        return
    given = f'(device_type="{device_kind(site.other)}")'
    methods = (one for one in owner.body.body if isinstance(one, cst.FunctionDef))
    kinds = {source.line(n.name): _DECORATORS.get(n.name.value) for n in methods}
    lines = {at: f"@{torch}.amp.{kind}{given}" for at, kind in kinds.items() if kind}
    if len(lines) == len(_DECORATORS):
        yield from _decorated(source, site, owner, lines)


def _decorated(
    source: Source, site: EditSite, owner: cst.ClassDef, lines: Mapping[int, str]
) -> Iterator[Change]:
    texts = " and ".join(f"`{text}`" for text in lines.values())
    title = f"decorate the methods of {owner.name.value} at {place(source, owner)} with {texts}"
    lost = 0 if _is_autocast(source, site.other) else None
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=lost, reason=_REASON
    )
    variant = Variant(title=title, write=partial(_written, source, lines))
    yield from builder.written(source.line(owner), variant)


def _function(source: Source, site: EditSite) -> cst.ClassDef | None:
    """Return the autograd function around a line that mixes a half dtype with another."""
    statement = source.statement(site.location.line)
    halves = site.role == "use" and {site.have, site.want} & HALVES
    owner = source.above(statement, cst.ClassDef) if statement and halves else None
    bases = [last(one.value) for one in owner.bases] if owner is not None else []
    decorated = owner is None or "custom_" in source.text(owner)
    return None if decorated or "Function" not in bases else owner


def _is_autocast(source: Source, other: Operand | None) -> bool:
    """Check whether autocast gave the other operand its dtype, or a region of the file may have."""
    chain = other.dtype_origin.chain() if other and other.dtype_origin else ()
    kinds = [event.kind for event in chain]
    return "autocast" in (*kinds, *map(called, source.of(cst.Call)))


def _written(source: Source, lines: Mapping[int, str]) -> bytes | None:
    for line in sorted(lines, reverse=True):
        data = source.before(line, lines[line])
        if data is None:
            return None
        source = Source(source.path, data)
    return source.data
