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


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for each later statement of the function that moves something, to before the state is loaded."""
    loads = source.statement(site.location.line)
    if site.role != "moved" or site.op != "load_state_dict" or loads is None:
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    for later in source.of(cst.SimpleStatementLine):
        value = getattr(later.body[0], "value", None)
        moves = isinstance(value, cst.Call) and called(value) in ("to", "cuda", "xpu")
        if moves and source.line(later) > source.line(loads):
            for first in (loads, *source.around(loads)):
                if source.parents.get(first) is source.parents[later]:
                    title = f"put `{source.text(later)}` of {place(source, later)} before {place(source, first)}"
                    write = partial(_before, source, source.line(first), later)
                    variant = Variant(title=title, write=write)
                    yield from builder.written(source.line(first), variant)


def _before(
    source: Source, line: int, statement: cst.SimpleStatementLine
) -> bytes | None:
    rest = source.without(statement)
    return rest and Source(source.path, rest).before(line, source.text(statement))
