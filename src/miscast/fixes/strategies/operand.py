"""Convert one operand where it is used: `torch.cat([latent, mask.to(latent.dtype)])`, `net(x.to(device))`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import libcst as cst

from ...remedy.passing import called_as
from ..change import Change, Maker, rounds
from ..edit_site import Spot
from ..names import METHODS, place, siblings, spellings
from ..nodes import called, dotted, last, method, spaced
from ..offloading import is_written
from ..rounding import is_spoilt_by, spoils
from ..source import Source

ORDER = 40
_STATED = 12  # it was meant where it was made: what uses it is nearer to the mistake
_RESULT = -5  # of what was computed wider on purpose
_AHEAD = 2  # one cast of all that a line gives does what several casts of its parts may do
_NO_TENSORS = frozenset({"self", "cls", "torch", "nn", "F", "np", "numpy", "math", "args", "config", "cfg", "device"})
_NO_RESULTS = frozenset({"range", "len", "enumerate", "zip", "print", "int", "float", "str", "isinstance", "super"})


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """Every name and inner expression of the line that may be the tensor, and the line's own result."""
    if spot.role in ("absent", "forbidden"):
        return
    if spot.role in ("use", "caller") and spot.parameter:
        return
    whole = _result(source, spot)
    far = {"promoted": 0, "autocast": 0, "carried": -8, "use": 10, "caller": 8}.get(spot.role, 4)
    for node in _operands(source, spot):
        if (rounds(spot) and spoils(source, node)) or is_written(source, node):
            continue
        ahead = _AHEAD if node is whole else 0
        far_here = far + (_STATED if _says(node, spot) else 0)
        make = Maker(source=source, spot=spot, order=ORDER + far_here + (0 if _plain(node) else 1), ahead=ahead)
        harm = 0 if spot.about == "device" and spot.role == "use" else None  # a copy for this line
        if rounds(spot) and spot.role == "use" and _was_widened(source, node):
            make, harm = replace(make, order=_RESULT), 0
        at_call = spot.role == "use" and _goes_in(source, spot, node)
        yield from make.replaced(node, *_converted(source, spot, node), harm=harm, at_call=at_call)


def _says(node: cst.BaseExpression, spot: Spot) -> bool:
    """Whether a call says what it makes: `torch.ones(4, device=first)`."""
    named = [a.keyword.value for a in node.args if a.keyword is not None] if isinstance(node, cst.Call) else []
    return spot.about in named


def _was_widened(source: Source, node: cst.BaseExpression) -> bool:
    """Whether a name stands for what a softmax, a cosine or a sum gave that was computed in float32 on purpose."""
    if not isinstance(node, cst.Name):
        return False
    own = source.function(node)
    return any(
        is_spoilt_by(one.value) and source.function(one) is own
        and any(word in source.text(one.value) for word in (".float()", "float32"))
        and any(dotted(target.target) == node.value for target in one.targets)
        for one in source.of(cst.Assign)
    )  # fmt: skip


def _goes_in(source: Source, spot: Spot, node: cst.BaseExpression) -> bool:
    """Whether an expression is, as it is, an argument of the call that failed."""
    above = next((n for n in source.around(node) if isinstance(n, (cst.Call, cst.BinaryOperation))), None)
    if isinstance(above, cst.BinaryOperation):
        return isinstance(above.operator, cst.MatrixMultiply) and spot.failed_op in ("matmul", "mm", "bmm", "mv", "dot")
    names = called_as(spot.failed_op, spot.failed) if spot.failed else set()
    return isinstance(above, cst.Call) and called(above) in names


def _converted(source: Source, spot: Spot, node: cst.BaseExpression) -> Iterator[tuple[str, cst.CSTNode]]:
    told, at = source.text(node), place(spot.location)
    told = told if len(told) <= 40 else f"{told[:39]}…"
    if spot.about == "dtype" and spot.want in ("int64", "bool") and spot.want in METHODS:
        name = METHODS[spot.want]
        yield f"cast `{told}` at {at}: .{name}()", method(node, name)
        return
    verb = "cast" if spot.about == "dtype" else "move"
    for text in spellings(source, node, spot, chain(siblings(source, node), _summands(node))):
        yield f"{verb} `{told}` at {at}: .to({text})", _to(node, cst.Arg(cst.parse_expression(text)), spot)
    if spot.about == "dtype" and spot.want in METHODS:
        name = METHODS[spot.want]
        yield f"{verb} `{told}` at {at}: .{name}()", method(node, name)


def _summands(node: cst.BaseExpression) -> Iterator[str]:
    """The names that an expression computes with."""
    for side in (node.left, node.right) if isinstance(node, cst.BinaryOperation) else ():
        if isinstance(side, cst.Name):
            yield side.value
        yield from _summands(side)


def _to(node: cst.BaseExpression, argument: cst.Arg, spot: Spot) -> cst.Call:
    """A conversion; where the expression ends with one to a device, or a dtype, in the same call."""
    both = isinstance(node, cst.Call) and called(node) == "to" and len(node.args) == 1
    if isinstance(node, cst.Call) and both and node.args[0].keyword is None:
        given = last(node.args[0].value).lower()
        if spot.about == "dtype" and given.endswith(("device", "dev")):
            return node.with_changes(args=spaced([node.args[0], argument]))
        if spot.about == "device" and given.endswith("dtype"):
            return node.with_changes(args=spaced([argument, node.args[0]]))
    return method(node, "to", argument)


def _plain(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.Name, cst.Attribute, cst.Subscript))


def _operands(source: Source, spot: Spot) -> Iterator[cst.BaseExpression]:
    """What may be a tensor: arguments, sides of an operator, receivers of methods, elements of lists, results."""
    found: dict[cst.BaseExpression, None] = {}
    for node in source.expressions(spot.location.line):
        if spot.role not in ("use", "caller", "promoted", "autocast"):
            continue
        if isinstance(node, cst.Call):
            if called(node) not in _NO_RESULTS:
                found.update((a.value, None) for a in node.args if not a.star)
            if isinstance(node.func, cst.Attribute) and spot.role in ("use", "promoted"):
                found[node.func.value] = None
        elif isinstance(node, (cst.BinaryOperation, cst.Comparison)):
            found.update((side, None) for side in _sides(node))
        elif isinstance(node, (cst.List, cst.Tuple)):
            found.update((element.value, None) for element in node.elements)
    value = _result(source, spot)
    if value is not None and spot.role not in ("use", "caller"):
        found[value] = None
    for node in found:
        if spot.odd(source.text(node)) is not False and _may_be_tensor(source, node):
            yield node


def _sides(node: cst.BinaryOperation | cst.Comparison) -> Iterator[cst.BaseExpression]:
    yield node.left
    if isinstance(node, cst.BinaryOperation):
        yield node.right
    else:
        yield from (target.comparator for target in node.comparisons)


def _result(source: Source, spot: Spot) -> cst.BaseExpression | None:
    """The value that a line assigns or returns."""
    statement = source.statement(spot.location.line)
    if isinstance(statement, cst.SimpleStatementLine):
        for part in statement.body:
            if isinstance(part, (cst.Assign, cst.Return, cst.AugAssign, cst.AnnAssign)):
                return part.value
    return None


def _may_be_tensor(source: Source, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Name) and node.value in ("True", "False", "None"):
        return False
    if isinstance(node, cst.UnaryOperation):
        return not isinstance(node.expression, cst.BaseNumber)
    if isinstance(node, (cst.Name, cst.Attribute)):
        name = dotted(node)
        if name.partition(".")[0] in _NO_TENSORS and "." not in name.partition(".")[2] and name != last(node):
            return name.startswith("self.") and not last(node).endswith(("dtype", "device"))
        return name not in _NO_TENSORS and not last(node).endswith(("dtype", "device", "shape", "config"))
    if isinstance(node, cst.Call):
        return called(node) not in _NO_RESULTS
    if isinstance(node, cst.Subscript):
        return not source.text(node.value).endswith(".shape")
    return isinstance(node, (cst.BinaryOperation, cst.Comparison))
