"""The names and operators by which a source line calls an op."""

from __future__ import annotations

from ...core.event import Location
from ...core.ops import Op, by, entry

_PUBLIC = by(lambda op: op.schemas)
_OPERATORS = {
    "matmul": "MatMult MatrixMultiply", "mm": "MatMult MatrixMultiply",
    "bmm": "MatMult MatrixMultiply", "mv": "MatMult MatrixMultiply",
    "dot": "MatMult MatrixMultiply", "pow": "Pow Power", "add": "Add", "sub": "Sub Subtract",
    "rsub": "Sub Subtract", "mul": "Mult Multiply", "div": "Div Divide",
    "floor_divide": "FloorDiv FloorDivide", "remainder": "Mod Modulo",
    "bitwise_and": "BitAnd", "bitwise_or": "BitOr", "bitwise_xor": "BitXor",
}  # fmt: skip
"""The operators of ops, by their classes in `ast` and in LibCST."""


def called_as(op: str, failed: Location) -> set[str]:
    """Return the names by which a line calls an op: the op's, or that of a module which computes this op alone."""
    own = {own_name(failed)} if entry(op).layer else set()
    return own | {op, _PUBLIC.get(op, op)}


def entry_of(op: str) -> Op:
    """Return the entry of an op by its name in torch's schemas: `grid_sampler` is `grid_sample`."""
    return entry(_PUBLIC.get(op, op))


def is_operator(operator: object, op: str) -> bool:
    """Check whether an operator of `ast` or LibCST computes an op."""
    return type(operator).__name__ in _OPERATORS.get(op, "").split()


def own_name(location: Location) -> str:
    """Return the name of the module at work in its parent: "norm" of `unet.down_blocks.1.norm`."""
    return (location.module or "").rpartition(".")[2]
