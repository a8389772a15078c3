"""Check whether only the failing call computes with a tensor, by the readers of its names in a file."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from ...core.event import Location
from ...core.syntax import last_name, nodes_of, parsed_file
from .calls import called_as, is_operator

_COPIES = frozenset({
    "cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack",
})  # fmt: skip
_OF_SHAPE = frozenset({
    "shape", "dtype", "device", "ndim", "size", "dim", "numel", "stride", "is_cuda", "layout",
})  # fmt: skip


def alone(
    op: str,
    failed: Location,
    made: Location,
    factory: str,
    tree: ast.Module | None = None,
) -> bool:
    """Check that only the failing call of `op` computes with the result of `factory` at a line.

    Copies of it (`torch.cat`) may be what goes there; a reader of its shape or dtype sees no number. `tree` is that of
    the file, if it is not what lies on the disk.
    """
    tree = parsed_file(made.file) if tree is None else tree
    if tree is None or made.file != failed.file:
        return False
    return _Readers(tree, op, failed).only(made.line, factory)


@lru_cache(maxsize=16)
def _parents(tree: ast.Module) -> Mapping[ast.AST, ast.AST]:
    nodes = nodes_of(tree, ast.AST)
    return {child: node for node in nodes for child in ast.iter_child_nodes(node)}


class _Readers:
    """The readers of a file's names."""

    def __init__(self, tree: ast.Module, op: str, failed: Location) -> None:
        self.tree, self.op, self.line = tree, op, failed.line
        self.names = called_as(op, failed)
        self.parents = _parents(tree)
        self.followed: set[str] = set()

    def only(self, line: int, op: str) -> bool:
        """Check whether only the failing call reads what a line's call of `op` makes, directly or as a copy."""
        calls = nodes_of(self.tree, ast.Call)
        made = [node for node in calls if node.lineno == line and _called(node) == op]
        return len(made) == 1 and self._is_harmless(made[0])

    def _is_harmless(self, value: ast.expr) -> bool:
        """Check whether nothing but the failing call computes with an expression's value."""
        parent = self.parents.get(value)
        match parent:
            case ast.Assign(targets=[ast.Name(id=name)]):
                return self._is_read_harmlessly(name)
            case ast.List() | ast.Tuple():
                value, parent = parent, self.parents.get(parent)
        if isinstance(parent, ast.keyword):
            parent = self.parents.get(parent)
        match parent:
            case ast.Attribute(attr=read):
                return read in _OF_SHAPE
            case ast.BinOp(lineno=line):
                return line == self.line and is_operator(parent.op, self.op)
            case ast.Call(func=func) if func is not value:
                return self._is_taken_harmlessly(parent)
        return False

    def _is_taken_harmlessly(self, call: ast.Call) -> bool:
        if call.lineno == self.line and _called(call) in self.names:
            return True
        return _called(call) in _COPIES and self._is_harmless(call)

    def _is_read_harmlessly(self, name: str) -> bool:
        if name in self.followed:
            return True  # `x = torch.cat([x, y])`: its other readers are asked
        self.followed.add(name)
        found = [node for node in nodes_of(self.tree, ast.Name) if node.id == name]
        read = [node for node in found if isinstance(node.ctx, ast.Load)]
        if len(found) - len(read) != 1 or self._is_outer(name):
            return False
        return all(map(self._is_harmless, read))

    def _is_outer(self, name: str) -> bool:
        """Check whether a function sets a name of an outer scope."""
        kinds: tuple[type[ast.Global | ast.Nonlocal], ...] = (ast.Global, ast.Nonlocal)
        return any(name in node.names for node in nodes_of(self.tree, *kinds))


def _called(call: ast.Call) -> str:
    func = call.func
    while isinstance(func, ast.Subscript):
        func = func.value
    return last_name(func)
