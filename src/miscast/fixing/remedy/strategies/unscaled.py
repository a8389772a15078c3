"""Divide gradients by the loss scale before they are clipped, measured or added to: `scaler.unscale_(optimizer)`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..nodes import called, calls_any, dotted
from ..source import Source
from .order import put_before

ORDER = 1
_LOOKS = ("clip", "clip_grad_norm_", "clip_grad_value_", "add", "norm")
_REASON = "training changes: the gradients are used unscaled"


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield it before the line that does so: moved there, or added with the names of `scaler.step(optimizer)`."""
    if site.op not in _LOOKS or site.role != "scaled":
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER, reason=_REASON)
    line = site.location.line
    first = [node for node in (source.statement(line),) if node is not None]
    for later in source.of(cst.SimpleStatementLine):
        if calls_any(later, {"unscale_"}):
            yield from put_before(builder, later, first)
    where, write = f"before {source.name}:{line}", partial(source.before, line)
    for text in dict.fromkeys(_divisions(source, line)):
        yield from builder.inserted(where, line, write, [text])


def _divisions(source: Source, line: int) -> Iterator[str]:
    """Yield the unscaling of gradients, for each scaler step after a line, in its function."""
    own = source.function(next(iter(source.expressions(line)), source.tree))
    for call in source.of(cst.Call):
        if (
            called(call) == "step"
            and isinstance(call.func, cst.Attribute)
            and len(call.args) == 1
            and source.line(call) > line
            and source.function(call) is own
            and dotted(call.func.value)
        ):
            optimizer = source.text(call.args[0].value)
            yield f"{dotted(call.func.value)}.unscale_({optimizer})"
