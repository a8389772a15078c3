"""How programs spell dtypes, devices and moves, read off the syntax tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from .injury import About
from .learned import Learned

CASTS = frozenset({"half", "float", "double", "bfloat16", "long", "int", "bool"})
DTYPES = frozenset(
    {"float16", "bfloat16", "float32", "float64", "half", "float", "double", "long", "int64", "int32", "bool", "uint8"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`node` becomes `replacement`. `whole`: the fault is the statement, with all its lines."""

    kind: str
    about: About
    node: cst.CSTNode
    replacement: cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a node stands. `code` gives the text of a node."""

    file: str
    function: str
    learned: Learned
    statement: cst.CSTNode | None
    parent: cst.CSTNode | None
    code: Callable[[cst.CSTNode], str]

    def kinds(self, name: str) -> frozenset[str]:
        """What a name stood for here: dtypes, "module"; empty if it was neither."""
        return self.learned.get((self.file, self.function, name), frozenset())


def method(node: cst.CSTNode) -> tuple[cst.Call, cst.Attribute, str] | None:
    """A call of a method: the call, `receiver.name`, and the name."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node, node.func, node.func.attr.value
    return None


def dotted(node: cst.CSTNode) -> str:
    """`a.b.c` of names and attributes; empty for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr.value}" if owner else ""
    return ""


def is_dtype(argument: cst.Arg) -> bool:
    """Whether an argument of `.to()` is a dtype."""
    if argument.keyword is not None:
        return argument.keyword.value == "dtype"
    last = _last(argument.value)
    return last in DTYPES or "dtype" in last.lower()


def is_device(argument: cst.Arg) -> bool:
    """Whether an argument of `.to()` is a device."""
    if argument.keyword is not None:
        return argument.keyword.value == "device"
    value = argument.value
    if isinstance(value, cst.SimpleString):
        return value.raw_value.startswith(("cuda", "cpu"))
    return "device" in _last(value).lower()


def without(call: cst.Call, gone: cst.Arg) -> cst.Call:
    """The call without one argument."""
    args = [argument for argument in call.args if argument is not gone]
    if args and call.args[-1] is gone:
        args[-1] = args[-1].with_changes(comma=gone.comma, whitespace_after_arg=gone.whitespace_after_arg)
    return call.with_changes(args=args)


def _last(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
