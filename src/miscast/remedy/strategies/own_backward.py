"""Run the backward pass of an own autograd function under the autocast of its forward pass: `torch.amp.custom_bwd`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ...dtypes import HALVES
from ...event import Operand
from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import called, last
from ..source import Source
from ..words import place
from .context import device_kind

ORDER = 30
_DECORATORS = {"forward": "custom_fwd", "backward": "custom_bwd"}
_REASON = "the backward pass computes under autocast, as the forward pass does"


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield both decorators where a line of `backward` mixes a half dtype, as autocast gives, with another."""
    statement = source.statement(site.location.line)
    torch = source.imported("torch")
    if site.role != "use" or site.other is None or statement is None or not torch:
        return
    owner = source.above(statement, cst.ClassDef)
    is_own = owner and any(last(one.value) == "Function" for one in owner.bases)
    if owner is None or not is_own or not {site.have, site.want} & HALVES:
        return
    methods = {
        one.name.value: one
        for one in owner.body.body
        if isinstance(one, cst.FunctionDef) and one.name.value in _DECORATORS
    }
    if len(methods) < 2 or "custom_" in source.text(owner):
        return
    given = f'(device_type="{device_kind(site.other)}")'
    lines = [
        (source.line(method.name), f"@{torch}.amp.{_DECORATORS[name]}{given}")
        for name, method in methods.items()
    ]
    title = " and ".join(f"`{text}`" for _, text in lines)
    variant = Variant(
        title=f"decorate the methods of {owner.name.value} at {place(source, owner)} with {title}",
        write=partial(_decorated, source, sorted(lines, reverse=True)),
    )
    builder = ChangeBuilder(
        source=source,
        site=site,
        order=ORDER,
        precision_loss=0 if _is_autocast(source, site.other) else None,
        reason=_REASON,
    )
    yield from builder.written(source.line(owner), variant)


def _is_autocast(source: Source, other: Operand) -> bool:
    """Check whether autocast gave the other operand its dtype, or a region of the file may have."""
    chain = other.dtype_origin.chain() if other.dtype_origin else ()
    regions = (one for one in source.of(cst.Call) if called(one) == "autocast")
    return any(event.kind == "autocast" for event in chain) or any(regions)


def _decorated(source: Source, lines: list[tuple[int, str]]) -> bytes | None:
    for line, text in lines:
        data = source.before(line, text)
        if data is None:
            return None
        source = Source(source.path, data)
    return source.data
