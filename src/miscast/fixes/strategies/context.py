"""Put a statement under autocast, or take it out: `with torch.autocast("cuda", dtype=torch.float16):`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, Maker, Spelling
from ..edit_site import Spot
from ..names import literal, place
from ..source import Source

ORDER = 80


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """Around the statement that fails, and around those that called it."""
    if spot.about != "dtype" or spot.role not in ("use", "caller") or not spot.blamed:
        return
    statement = source.statement(spot.location.line)
    if not isinstance(statement, cst.SimpleStatementLine):
        return
    half = next((d for d in (spot.want, spot.have) if d in ("float16", "bfloat16")), None)
    text = literal(source, "dtype", half) if half else None
    if text is None or spot.other is None:
        return
    device = spot.other.tensor.device.partition(":")[0]
    torch = text.partition(".")[0]
    make = Maker(source=source, spot=spot, order=ORDER + (0 if spot.role == "use" else 5))
    call = f'{torch}.autocast("{device}", dtype={text})'

    def write() -> bytes | None:
        inner = statement.with_changes(leading_lines=())
        block = cst.With(
            items=[cst.WithItem(cst.parse_expression(call))],
            body=cst.IndentedBlock([inner]),
            leading_lines=statement.leading_lines,
        )
        return source.with_node(statement, block)

    title = f"compute under autocast at {place(spot.location)}: with {call}"
    reason = f"what the statement computes is rounded to {half} where autocast does so"
    yield from make.written(source.line(statement), Spelling(title=title, write=write), reason=reason, harm=1)
