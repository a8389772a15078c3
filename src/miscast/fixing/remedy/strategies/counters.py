"""Leave counters out of an average of a model's state: `if not value.is_floating_point(): continue`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ....core.dtypes import DTYPES, is_floating_point
from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import dotted, targets
from ..source import Source
from ..words import place

ORDER = 15


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a guard in a loop whose variable is a counter, such as `num_batches_tracked`, that is written to."""
    statement = source.statement(site.location.line)
    written = site.role == "use" and site.operand == "self" and site.have in DTYPES
    if not written or statement is None or is_floating_point(site.have):
        return
    loop = source.above(statement, cst.For)
    builder = ChangeBuilder(
        source=source,
        site=site,
        order=ORDER,
        precision_loss=0,
        reason="counters keep their first values",
    )
    for name in map(dotted, targets(loop.target) if loop else ()):
        if site.offends(name) and source.text(statement).startswith(name):
            test = f"if not {name}.is_floating_point():"
            indent = " " * source.positions[statement].start.column
            line, text = source.line(statement), f"{test}\n{indent}    continue"
            title = f"add `{test} continue` before {place(source, statement)}"
            write = partial(source.before, line, text)
            yield from builder.written(line, Variant(title=title, write=write))
