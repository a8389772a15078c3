"""Put a statement under autocast, or take it out: `with torch.autocast("cuda", dtype=torch.float16):`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..names import literal, place
from ..source import Source

ORDER = 80


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Around the statement that fails, and around those that called it."""
    statement = source.statement(site.location.line)
    fails = site.about == "dtype" and site.role in ("use", "caller") and site.blamed
    half = _half(site)
    text = literal(source, "dtype", half)
    if not (
        fails
        and half
        and text
        and site.other
        and isinstance(statement, cst.SimpleStatementLine)
    ):
        return
    call = f'{text.partition(".")[0]}.autocast("{site.other.tensor.device.partition(":")[0]}", dtype={text})'
    builder = ChangeBuilder(
        source=source,
        site=site,
        order=ORDER + (0 if site.role == "use" else 5),
        precision_loss=1,
        reason=f"what the statement computes is rounded to {half} where autocast does so",
    )

    def write() -> bytes | None:
        inner = statement.with_changes(leading_lines=())
        block = cst.With(
            items=[cst.WithItem(cst.parse_expression(call))],
            body=cst.IndentedBlock([inner]),
            leading_lines=statement.leading_lines,
        )
        return source.with_node(statement, block)

    title = f"compute under autocast at {place(site.location)}: with {call}"
    yield from builder.written(
        source.line(statement), Variant(title=title, write=write)
    )


def _half(site: EditSite) -> str:
    return next(
        (dtype for dtype in (site.want, site.have) if dtype in ("float16", "bfloat16")),
        "",
    )
