"""Move a model before the state of its optimizer is loaded, which goes where the parameters are: `model.to(device)`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import called
from ..source import Source
from ..words import place

ORDER = 5
_MOVES = ("to", "cuda", "xpu")


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for each later statement of the function that moves something, to before the state is loaded."""
    loads = source.statement(site.location.line)
    if site.role != "moved" or site.op != "load_state_dict" or loads is None:
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    for later in source.of(cst.SimpleStatementLine):
        if source.line(later) <= source.line(loads) or not _moves(later):
            continue
        block = source.parents[later]
        around = (loads, *source.around(loads))
        first = next((one for one in around if source.parents.get(one) is block), None)
        if first is not None:
            text = source.text(later)
            where = f"before {place(source, first)}"
            variant = Variant(
                title=f"put `{text}` of {place(source, later)} {where}",
                write=partial(_swapped, source, later, source.line(first)),
            )
            yield from builder.written(source.line(first), variant)


def _moves(statement: cst.SimpleStatementLine) -> bool:
    part = statement.body[0]
    value = part.value if isinstance(part, (cst.Expr, cst.Assign)) else None
    return isinstance(value, cst.Call) and called(value) in _MOVES


def _swapped(source: Source, later: cst.SimpleStatementLine, line: int) -> bytes | None:
    rest = source.without(later)
    return rest and Source(source.path, rest).before(line, source.text(later))
