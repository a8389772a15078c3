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
_DECORATORS = {"forward": "custom_fwd", "backward": "custom_bwd"}


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield both decorators where a line of `backward` mixes a half dtype, as autocast gives, with another."""
    statement, torch = source.statement(site.location.line), source.imported("torch")
    halves = site.role == "use" and {site.have, site.want} & HALVES
    if not halves or site.other is None or statement is None or not torch:
        return
    owner = source.above(statement, cst.ClassDef)
    if owner is None or "Function" not in [last(one.value) for one in owner.bases]:
        return
    given = f'(device_type="{device_kind(site.other)}")'
    lines = {
        source.line(one.name): f"@{torch}.amp.{_DECORATORS[one.name.value]}{given}"
        for one in owner.body.body
        if isinstance(one, cst.FunctionDef) and one.name.value in _DECORATORS
    }
    if len(lines) == len(_DECORATORS) and "custom_" not in source.text(owner):
        texts = " and ".join(f"`{text}`" for text in lines.values())
        title = f"decorate the methods of {owner.name.value} at {place(source, owner)} with {texts}"
        builder = ChangeBuilder(
            source=source,
            site=site,
            order=ORDER,
            precision_loss=0 if _is_autocast(source, site.other) else None,
            reason="the backward pass computes under autocast, as the forward pass does",
        )
        write = partial(_written, source, lines)
        variant = Variant(title=title, write=write)
        yield from builder.written(source.line(owner), variant)


def _is_autocast(source: Source, other: Operand) -> bool:
    """Check whether autocast gave the other operand its dtype, or a region of the file may have."""
    chain = other.dtype_origin.chain() if other.dtype_origin else ()
    kinds = [event.kind for event in chain]
    return "autocast" in (*kinds, *map(called, source.of(cst.Call)))


def _written(source: Source, lines: Mapping[int, str]) -> bytes | None:
    for line in sorted(lines, reverse=True):
        data = source.before(line, lines[line])
        if data is None:
            return None
        source = Source(source.path, data)
    return source.data
