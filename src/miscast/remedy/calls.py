"""By which names, and by which operators, a line of source calls an op."""

from __future__ import annotations

import ast

from ..event import Call, Location
from ..ops import entry
from ..syntax import last_name

_OPERATORS: dict[str, type[ast.operator]] = {
    "matmul": ast.MatMult, "mm": ast.MatMult, "bmm": ast.MatMult, "mv": ast.MatMult,
    "dot": ast.MatMult, "pow": ast.Pow, "add": ast.Add, "sub": ast.Sub, "rsub": ast.Sub,
    "mul": ast.Mult, "div": ast.Div, "floor_divide": ast.FloorDiv, "remainder": ast.Mod,
    "bitwise_and": ast.BitAnd, "bitwise_or": ast.BitOr, "bitwise_xor": ast.BitXor,
}  # fmt: skip


def called(node: ast.Call) -> str:
    """The name of what a call calls, without its owner and its index; "" if it has none."""
    func: ast.expr = node.func
    while isinstance(func, ast.Subscript):
        func = func.value
    return last_name(func)


def called_as(op: str, failed: Location) -> set[str]:
    """The names by which a line calls what fails at once: the op's, or that of a module which is but this op."""
    return {op, own_name(failed)} if entry(op).layer else {op}


def called_through(call: Call) -> set[str]:
    """All names by which lines may call what led to the failure."""
    path = (call.location.module or "").replace("[", ".").split(".")
    functions = (place.function for place in (call.location, *call.callers))
    return {call.op, "forward", "self", *path, *functions}


def is_operator(node: ast.BinOp, op: str) -> bool:
    """Whether an operation is this op, spelled by its operator."""
    return type(node.op) is _OPERATORS.get(op)


def own_name(location: Location) -> str:
    """The name that the module at work there has in its parent: "norm" of `unet.down_blocks.1.norm`."""
    return (location.module or "").rpartition(".")[2]
