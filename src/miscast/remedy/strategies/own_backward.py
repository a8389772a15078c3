"""Run the backward pass of an own autograd function under the autocast of its forward pass: `torch.amp.custom_bwd`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import last
from ..source import Source
from ..words import place
from .context import device_kind

ORDER = 30
_DECORATORS = {"forward": "custom_fwd", "backward": "custom_bwd"}
_REASON = "the backward pass computes under autocast, as the forward pass does"


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield both decorators where a line of `backward` meets a gradient in the dtype of autocast."""
    statement = source.statement(site.location.line)
    torch = source.imported("torch")
    if site.role != "use" or site.other is None or statement is None or not torch:
        return
    origin = site.other.dtype_origin
    owner = source.above(statement, cst.ClassDef)
    is_own = owner and any(last(one.value) == "Function" for one in owner.bases)
    if not is_own or origin is None or origin.chain()[-1].kind != "autocast":
        return
    assert owner is not None
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
        source=source, site=site, order=ORDER, precision_loss=0, reason=_REASON
    )
    yield from builder.written(source.line(owner), variant)


def _decorated(source: Source, lines: list[tuple[int, str]]) -> bytes | None:
    for line, text in lines:
        data = source.before(line, text)
        if data is None:
            return None
        source = Source(source.path, data)
    return source.data
