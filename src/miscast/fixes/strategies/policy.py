"""Hold one precision at every crossing into a model, where no single line does: `miscast.apply(unet, "16-true")`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import dotted
from ..source import Source
from .module import assigned

ORDER = 95
EVERYWHERE = True
_POLICIES = {
    "float16": "16-true",
    "bfloat16": "bf16-true",
    "float32": "32-true",
    "float64": "64-true",
}


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """For what meets a model's weights: behind the line that makes the model."""
    if (
        site.role != "use"
        or site.about != "dtype"
        or site.want not in _POLICIES
        or not site.path
    ):
        return
    for _, statement, _ in assigned(source, site):
        part = statement.body[0]
        name = dotted(part.targets[0].target) if isinstance(part, cst.Assign) else ""
        if name:
            text = f'miscast.apply({name}, "{_POLICIES[site.want]}")'
            title = f"add {text} behind {source.name}:{source.line(statement)}"
            variant = Variant(title=title, write=_writer(source, statement, text))
            reason = f"all that enters {name} is rounded to {site.want}, and the program needs Miscast from now on"
            builder = ChangeBuilder(
                source=source, site=site, order=ORDER, precision_loss=3, reason=reason
            )
            yield from builder.written(source.line(statement), variant)


def _writer(
    source: Source, statement: cst.SimpleStatementLine, text: str
) -> Callable[[], bytes | None]:
    def write() -> bytes | None:
        data = source.after(statement, text)
        if data is None or source.imported("miscast"):
            return data
        first = next(
            (n for n in source.nodes if isinstance(n, (cst.Import, cst.ImportFrom))),
            None,
        )
        if first is None:
            return None
        line = source.line(first)
        changed = Source(source.path, data)
        beginning = changed.statement(line)
        return (
            changed.after(beginning, "import miscast")
            if beginning is not None
            else None
        )

    return write
