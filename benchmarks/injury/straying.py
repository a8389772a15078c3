"""Faults by a cast or a move too many: of a tensor where it is used or made, of a module where it is made."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .spelled import Change, Place

_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
_STRAYS = {
    "float16": ("float", "double", "bfloat16"),
    "bfloat16": ("float", "half", "double"),
    "float32": ("half", "double", "bfloat16"),
    "float64": ("float",),
    "int64": ("float", "int"),
    "bool": ("float", "long"),
}
_NAMES = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16"}


def changes(node: cst.CSTNode, place: Place) -> Iterator[Change]:
    """Casts after a name that is read, and after what is assigned."""
    if isinstance(node, cst.Name) and _is_operand(node, place.parent):
        yield from _cast(node, node, place)
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name):
        yield from _cast(node.targets[0].target, node.value, place)


def _is_operand(node: cst.Name, parent: cst.CSTNode | None) -> bool:
    return isinstance(parent, cst.BinaryOperation) or (isinstance(parent, cst.Arg) and parent.keyword is not node)


def _cast(name: cst.Name, value: cst.BaseExpression, place: Place) -> Iterator[Change]:
    """`value` with a cast behind it, if `name` stands for a tensor or a module."""
    kinds = place.kinds(name.value)
    if "module" in kinds:
        if value is not name:
            for cast in ("half", "float", "double"):
                yield _after(value, cast, "wrong component cast")
        return
    for dtype in sorted(kinds):
        for cast in _STRAYS.get(dtype, ()):
            yield _after(value, cast, _kind(name.value, dtype, cast))
    if kinds:
        yield _after(value, "cpu", "stray .cpu()")


def _kind(name: str, dtype: str, cast: str) -> str:
    if "loss" in name and cast == "half":
        return "half loss"
    if dtype not in _FLOATS:
        return "float32 mask" if dtype == "bool" else "integer target of another type"
    return f"stray .{cast}()"


def _after(value: cst.BaseExpression, cast: str, kind: str) -> Change:
    atom = isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript))
    inner = value if atom or value.lpar else value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    call = cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(cast)))
    return Change(kind=kind, about="device" if cast == "cpu" else "dtype", node=value, replacement=call)
