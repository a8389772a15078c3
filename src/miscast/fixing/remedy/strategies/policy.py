"""Hold one precision at every crossing into a model, where no single line does: `miscast.apply(unet, "16-true")`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..nodes import dotted
from ..source import Source
from .module import assigned

ORDER = 95
EVERYWHERE = True
_POLICIES = {"float16": "16-true", "bfloat16": "bf16-true", "float32": "32-true", "float64": "64-true"}  # fmt: skip


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a policy after the line that makes the model, whose weights meet the operand."""
    of_dtype = site.about == "dtype" and site.want in _POLICIES
    if site.role != "use" or not of_dtype or not site.path:
        return
    for _, statement, _ in assigned(source, site):
        part = statement.body[0]
        name = dotted(part.targets[0].target) if isinstance(part, cst.Assign) else ""
        if name:
            text = f'miscast.apply({name}, "{_POLICIES[site.want]}")'
            reason = f"all inputs of {name} are rounded to {site.want}, and the program then needs Miscast"
            builder = ChangeBuilder(
                source=source, site=site, order=ORDER, precision_loss=3, reason=reason
            )
            line, write = source.line(statement), partial(_written, source, statement)
            where = f"after {source.name}:{line}"
            yield from builder.inserted(where, line, write, [text])


def _written(
    source: Source, statement: cst.SimpleStatementLine, text: str
) -> bytes | None:
    """Return the file with the line, and with the import that it needs."""
    data = source.after(statement, text)
    imports = (n for n in source.nodes if isinstance(n, (cst.Import, cst.ImportFrom)))
    first = next(imports, None)
    if data is None or source.imported("miscast") or first is None:
        return data if first is not None else None
    changed = Source(source.path, data)
    beginning = changed.statement(source.line(first))
    return changed.after(beginning, "import miscast") if beginning else None
