"""Keep what is trained in float32 beside a frozen model in half: `for p in lora: p.data = p.data.float()`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import called, dotted
from ..source import Source
from ..words import place

ORDER = 15
EVERYWHERE = True
_LISTS = ("list", "filter")
"""Functions that make the list of the trained parameters."""


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a loop before the optimizer that is made of a list of parameters, if their gradients are to be float32."""
    if site.role != "use" or not site.failed_op.endswith("unscale_"):
        return
    reason = "training changes: the trained parameters are float32"
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=0, reason=reason
    )
    for call in source.of(cst.Call):
        name = dotted(call.args[0].value) if call.args else ""
        statement = source.above(call, cst.SimpleStatementLine)
        if statement is None or not called(call)[:1].isupper():
            continue
        if any(map(_is_list, source.values(call, name))):
            line = source.line(statement)
            indent = " " * source.positions[statement].start.column
            loop, cast = f"for p in {name}:", "p.data = p.data.float()"
            title = f"add `{loop} {cast}` before {place(source, statement)}"
            write = partial(source.before, line, f"{loop}\n{indent}    {cast}")
            yield from builder.written(line, Variant(title=title, write=write))


def _is_list(value: cst.BaseExpression) -> bool:
    """Check for `[p for p in model.parameters() if p.requires_grad]`, or a `list(filter(…))` of them."""
    made = isinstance(value, cst.Call) and called(value) in _LISTS
    return isinstance(value, cst.ListComp) or made
