"""Whether the operand of a call that failed is the very tensor that an event made, or was computed from it since.

    x = torch.randn(2, 8)        the operand of net(x) is what randn made
    h = encoder(x)               that of net(h) is not: encoder meets what randn makes, too

Read off the lines that the trace tells of, and off the file where that can be read; no code runs.
"""

from __future__ import annotations

import ast

from ..cause import Cause
from ..event import Call, Event, Location
from ..syntax import nodes_of, parsed_file
from .calls import called, called_through, is_operator, own_name
from .line import nodes_at, parents_of, parts, statement_at, target

_SAME = frozenset({
    "to", "type", "type_as", "cuda", "cpu", "float", "half", "double", "bfloat16",
    "contiguous", "clone", "detach", "requires_grad_", "view", "reshape", "unsqueeze",
    "squeeze", "data",
})  # fmt: skip
_LIBRARIES = frozenset(
    {
        "torch",
        "F",
        "nn.functional",
        "torch.nn.functional",
        "torch.linalg",
        "torch.special",
    }
)
_FOREIGN = frozenset({
    "torch", "F", "print", "len", "type", "str", "float", "int", "isinstance", "np",
    "math",
})  # fmt: skip
ORDER = {"self": 0, "input": 0, "query": 0, "other": 1, "mat2": 1}


def itself(call: Call, cause: Cause, event: Event) -> bool | None:
    """Whether the blamed operand is what an event made; None where no line tells."""
    place = event.location
    if place is None:
        return None
    given = operands(call, cause.blamed.name)
    if _met_before(call, place) or _is_computed(given, event):
        return False
    held = call.held_as(cause.blamed.name)
    if held and not _is(place, call.location):
        value = getattr(statement_at(place), "value", None)
        return _is(held[0], place) and not _computes(value, event)
    if any(_is(place, line) for line in (call.location, *call.callers)):
        return _goes_into(event, called_through(call))
    return target(place) in map(ast.unparse, given) or None


def _met_before(call: Call, made: Location) -> bool:
    """Whether a module or a function of the program's meets the name that a line sets, before the call that failed."""
    name = target(made)
    if not name:
        return False
    scope = (made.file, made.function)
    here = (call.location, *call.callers)
    until = next((p.line for p in here if (p.file, p.function) == scope), 0)
    return any(
        made.line < node.lineno < until and _takes(node, name)
        for node in nodes_of(parsed_file(made.file), ast.Call)
    )


def _takes(node: ast.Call, name: str) -> bool:
    """Whether a name is handed to a call of what may compute with it, by the program's own code."""
    if name not in map(ast.unparse, parts(node)):
        return False
    return ast.unparse(node.func).partition(".")[0] not in _FOREIGN


def call_that_failed(call: Call) -> ast.expr | None:
    """Where it stands on its line: the call of the op, or of the module that is at work."""
    names = (call.op, own_name(call.location))
    for node in nodes_at(call.location):
        match node:
            case ast.Call() if called(node) in names:
                return node
            case ast.BinOp() if is_operator(node, call.op):
                return node
    return None


def operands(call: Call, name: str) -> list[ast.expr]:
    """The arguments of the call that failed which may be the operand of a name: the first and the second are known."""
    used = call_that_failed(call)
    if used is None:
        return []
    found = list(parts(used))
    match used:
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if (
            method != own_name(call.location) and ast.unparse(owner) not in _LIBRARIES
        ):
            found.insert(0, owner)
    index = ORDER.get(name, len(found))
    return found[index : index + 1] or found


def _is_computed(given: list[ast.expr], event: Event) -> bool:
    """Whether all that an operand may be is computed on the line of the call."""
    return bool(given) and all(_computes(argument, event) for argument in given)


def _goes_into(event: Event, names: set[str]) -> bool | None:
    """Whether the call that made a tensor stands as it is among the arguments of a call of one of these names."""
    parents = parents_of(statement_at(event.location))
    node = next((node for node in parents if _makes(node, event)), None)
    while node is not None:
        above = parents.get(node)
        match above:
            case ast.Call(func=func) if func is not node:
                return called(above) in names
            case ast.Attribute(attr=read) if read not in _SAME:
                return False
            case ast.BinOp():
                return None
        node = above
    return None


def _computes(value: ast.AST | None, event: Event) -> bool:
    """Whether an expression is a call of another's: neither what made the tensor nor what hands it on as it is."""
    while isinstance(value, ast.Call):
        if _makes(value, event):
            return False
        if not isinstance(value.func, ast.Attribute) or value.func.attr not in _SAME:
            return True
        value = value.func.value
    return isinstance(value, ast.BinOp)


def _makes(node: ast.AST, event: Event) -> bool:
    """Whether a node is the call that an event tells of: casts and moves go by many names."""
    if not isinstance(node, ast.Call):
        return False
    name = called(node)
    if event.kind in ("cast", "moved"):
        return name in _SAME
    return name == event.op.rpartition(".")[2] or (
        event.kind in ("loaded", "given") and name[:1].islower()
    )


def _is(one: Location, other: Location) -> bool:
    return (one.file, one.line) == (other.file, other.line)
