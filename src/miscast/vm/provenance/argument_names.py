"""The operands of a failed expression in order, each with the name that the op itself has for it.

s.masked_fill(m, 0)      ->  ("self", s), ("mask", m)
torch.mm(a, b.half())    ->  ("self", a), ("mat2", b.half())
cache[index] = new       ->  ("destination", cache), ("indices", index), ("source", new)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import torch

Owner = Callable[[ast.expr], Literal["tensor", "torch", ""]]
"""Kind of owner before a called function's name: a tensor, torch or one of its modules, or another."""


def of(node: ast.AST, owner: Owner) -> Iterator[tuple[str, ast.AST]]:
    """Yield the parts of a node that can be operands; "" for the name where it is not known."""
    if isinstance(node, ast.Call):
        yield from _of_call(node, owner)
    elif type(node) in _PARTS:
        yield from _PARTS[type(node)](node)
    else:
        within = isinstance(node, ast.expr)  # of a statement its blocks, too
        for one in ast.iter_child_nodes(node):
            if not within or isinstance(one, ast.expr):
                yield ("", one)


def _of_assignment(node: ast.Assign) -> Iterator[tuple[str, ast.AST]]:
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            yield from (("destination", target.value), ("indices", target.slice))
        elif isinstance(target, ast.Attribute) and target.attr in ("grad", "data"):
            yield "parameter", target.value
    yield "source", node.value


_PARTS: Mapping[type[ast.AST], Callable[[Any], Iterable[tuple[str, ast.AST]]]] = {
    ast.Assign: _of_assignment,
    ast.AugAssign: lambda node: (("self", node.target), ("other", node.value)),
    ast.BinOp: lambda node: (("", node.left), ("", node.right)),
    ast.Compare: lambda node: [("", one) for one in (node.left, *node.comparators)],
    ast.Subscript: lambda node: (("self", node.value), ("indices", node.slice)),
}


def _of_call(node: ast.Call, owner: Owner) -> Iterator[tuple[str, ast.AST]]:
    function, given = node.func, list(node.args)
    names: list[str] = []
    if isinstance(function, ast.Attribute):
        kind = owner(function.value)
        names = _names(function.attr) if kind else []
        if kind == "tensor":
            given.insert(0, function.value)
    for index, one in enumerate(given):
        yield (names[index] if index < len(names) else ""), one
    for keyword in node.keywords:
        yield keyword.arg or "", keyword.value


def _names(op: str) -> list[str]:
    """Return the argument names of an op in ATen, of its namesake for an in-place op; empty if there is no op."""
    packet = getattr(torch.ops.aten, op, None) or getattr(
        torch.ops.aten, op.rstrip("_"), None
    )
    overloads = packet.overloads() if packet is not None else []
    schemas = [getattr(packet, name)._schema for name in overloads]
    return [one.name for one in schemas[0].arguments] if schemas else []
