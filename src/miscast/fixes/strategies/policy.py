"""Hold one precision at every crossing into a model, where no single line does: `miscast.apply(unet, "16-true")`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from ..change import Change, Maker, Spelling
from ..edit_site import Spot
from ..nodes import dotted
from ..source import Source
from .module import assigned

ORDER = 95
EVERYWHERE = True
_POLICIES = {"float16": "16-true", "bfloat16": "bf16-true", "float32": "32-true", "float64": "64-true"}


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """For what meets a model's weights: behind the line that makes the model."""
    if spot.role != "use" or spot.about != "dtype" or spot.want not in _POLICIES or not spot.path:
        return
    make = Maker(source=source, spot=spot, order=ORDER)
    for _, statement, _ in assigned(source, spot):
        part = statement.body[0]
        name = dotted(part.targets[0].target) if isinstance(part, cst.Assign) else ""
        if name:
            text = f'miscast.apply({name}, "{_POLICIES[spot.want]}")'
            title = f"add {text} behind {source.name}:{source.line(statement)}"
            spelling = Spelling(title=title, write=_writer(source, statement, text))
            reason = f"all that enters {name} is rounded to {spot.want}, and the program needs Miscast from now on"
            yield from make.written(source.line(statement), spelling, harm=3, reason=reason)


def _writer(source: Source, statement: cst.SimpleStatementLine, text: str) -> Callable[[], bytes | None]:
    def write() -> bytes | None:
        data = source.after(statement, text)
        if data is None or source.imported("miscast"):
            return data
        first = next((n for n in source.nodes if isinstance(n, (cst.Import, cst.ImportFrom))), None)
        if first is None:
            return None
        line = source.line(first)
        changed = Source(source.path, data)
        beginning = changed.statement(line)
        return changed.after(beginning, "import miscast") if beginning is not None else None

    return write
