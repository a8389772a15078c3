"""Put a statement under autocast, or take it out: `with torch.autocast(x.device.type, dtype=torch.float16):`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ...dtypes import HALVES
from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..names import device_of, literal
from ..nodes import below
from ..source import Source
from ..words import place

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
    kind = site.other.tensor.device.partition(":")[0]
    tensor = _tensor(statement, site, kind)
    if site.role == "caller" and not tensor:  # `main()`, with all that it does
        return
    types = [*([f"{tensor}.device.type"] if tensor else []), f'"{kind}"']
    torch = text.partition(".")[0]
    calls = [f"{torch}.autocast({type_}, dtype={text})" for type_ in types]
    builder = ChangeBuilder(
        source=source,
        site=site,
        order=ORDER + (0 if site.role == "use" else 5),
        precision_loss=1,
        reason=f"autocast rounds results of the statement to {half}",
    )

    at = place(source, statement)
    variants = [
        Variant(
            title=f"put {at} under `with {call}:`",
            write=partial(source.under, statement, statement, call),
        )
        for call in calls
    ]
    yield from builder.written(source.line(statement), *variants)


def _tensor(statement: cst.CSTNode, site: EditSite, kind: str) -> str:
    """Return the first name in a statement that stood for a tensor on such a device; "" if none did."""
    names = (node.value for node in below(statement) if isinstance(node, cst.Name))
    on = (name for name in names if device_of(site, name).partition(":")[0] == kind)
    return next(on, "")


def _half(site: EditSite) -> str:
    return next(
        (dtype for dtype in (site.want, site.have) if dtype in HALVES),
        "",
    )
