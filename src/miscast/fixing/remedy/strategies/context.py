"""Put a statement under autocast, or take it out: `with torch.autocast(x.device.type, dtype=torch.float16):`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ....core.dtypes import HALVES
from ....core.event import Operand
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
    if not (fails and half and text and site.other):
        return
    if not isinstance(statement, cst.SimpleStatementLine):
        return
    tensor = _tensor_on(source, statement, site, site.other)
    if site.role == "caller" and not tensor:  # `main()`, with all that it does
        return
    type_ = device_type(source, statement, site, site.other)
    call = f"{text.partition('.')[0]}.autocast({type_}, dtype={text})"
    order = ORDER + 5 * (site.role == "caller")
    why = f"autocast rounds results of the statement to {half}"
    builder = ChangeBuilder(
        source=source, site=site, order=order, precision_loss=1, reason=why
    )
    title = f"put {place(source, statement)} under `with {call}:`"
    write = partial(source.under, statement, statement, call)
    variant = Variant(title=title, write=write)
    yield from builder.written(source.line(statement), variant)


def device_type(
    source: Source, statement: cst.CSTNode, site: EditSite, other: Operand
) -> str:
    """Return an operand's type of device as code: that of a tensor which a statement reads, else a literal."""
    tensor = _tensor_on(source, statement, site, other)
    return f"{tensor}.device.type" if tensor else f'"{device_kind(other)}"'


def device_kind(operand: Operand) -> str:
    """Return an operand's type of device: "cuda"."""
    return operand.tensor.device.partition(":")[0]


def _tensor_on(
    source: Source, statement: cst.CSTNode, site: EditSite, other: Operand
) -> str:
    """Return the first name that a statement reads of a tensor on such a device; "" if there is none."""
    kind = device_kind(other)
    nodes = (node for node in below(statement) if isinstance(node, cst.Name))
    parents = ((node.value, source.parents.get(node)) for node in nodes)
    names = (name for name, above in parents if not isinstance(above, cst.AssignTarget))
    on = (name for name in names if device_of(site, name).partition(":")[0] == kind)
    return next(on, "")


def _half(site: EditSite) -> str:
    return next((dtype for dtype in (site.want, site.have) if dtype in HALVES), "")
