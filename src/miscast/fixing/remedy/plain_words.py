"""Words that need no source: for a place, and for advice that nobody can write as an edit."""

from __future__ import annotations

from ...core.dtypes import facts
from ...core.event import Location, Operand
from ...core.finding import Finding, Fix
from ...judging.cause import PARAMETERS, forward_of, is_parameter


def in_words(finding: Finding) -> Fix | None:
    """Return the advice for a finding whose source cannot be changed: the operand, by the op's name for it."""
    operand = finding.blamed_operand
    if operand is None or not finding.wanted:
        return None
    where = f"{finding.op} at {place(finding.location)}"
    if finding.about == "dtype":
        return _cast(finding, operand, where)
    placed = operand.device_origin
    if placed is not None and placed.op == "Optimizer.load_state_dict":
        loaded = f"{placed.op} at {place(placed.location)}"
        return Fix(title=f"move the model before {loaded}: states go where it is then")
    target = f'"{finding.wanted.removesuffix(":0")}"'
    return Fix(title=f"move {_named(finding, operand)} before {where}: .to({target})")


def _cast(finding: Finding, operand: Operand, where: str) -> Fix:
    name, wanted = _named(finding, operand), finding.wanted
    # a backward formula gets its operands from no line of the program's: the narrower one is cast before its op
    forward = forward_of(finding.op, finding.operands)
    if forward is not None:
        where = f"{forward[0]} at {place(forward[1])}"
        wide = max(finding.operands, key=lambda one: facts(one.tensor.dtype).mantissa)
        wanted = wide.tensor.dtype
        narrow = (o for o in finding.operands if o.tensor.dtype != wanted)
        name = f"`{next(narrow, operand).name}`"
    return Fix(title=f"cast {name} before {where}: .to(torch.{wanted})")


def _named(finding: Finding, operand: Operand) -> str:
    module = finding.location.module
    if is_parameter(operand) and module:
        return f"the module `{module.partition('.')[0]}`"
    return f"`{operand.name}`"


def fits_alone(finding: Finding) -> bool:
    """Check whether an op takes the blamed operand in another dtype than the others, as a matrix product does not."""
    from ...core.ops import by, entry
    from ...torch_facts.contracts import alike_with

    op = finding.op.rstrip("_")
    alike = alike_with(f"aten.{op}", finding.blamed) - PARAMETERS
    layer = entry(by(lambda one: one.schemas).get(op, op)).layer
    return alike <= {finding.blamed, "out"} and not layer


def of_hook(finding: Finding) -> Fix | None:
    """Return the advice for a module whose offloading hook did not run; None for any other finding."""
    operand = finding.blamed_operand
    event = operand.device_origin if operand and finding.about == "device" else None
    if event is None or event.kind != "moved" or event.library is None:
        return None
    if not event.library.file.endswith("accelerate/hooks.py"):
        return None
    hook = f"the hook set at {place(event.location)} moves it only during forward"
    return Fix(title=f"call the module, not one of its methods: {hook}")


def place(location: Location | None) -> str:
    """Return the words for a place: "data.py:12"."""
    if location is None:
        return "an unknown line"
    return f"{location.file.rpartition('/')[2]}:{location.line}"
