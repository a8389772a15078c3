"""Find changes of shared objects: an attribute, an item, a module's dtype, a list's length."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...core.syntax import last_name, names_set, nodes_of
from .words import root

_CHANGING = frozenset(
    {
        "to", "half", "float", "double", "bfloat16", "cuda", "cpu", "type", "append", "extend", "insert", "update",
        "add", "put", "load_state_dict", "add_param_group", "register_buffer", "register_parameter", "setattr"
    }
)  # fmt: skip


def changes(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the objects that a part of a source changes, as they are written there."""
    nodes: Iterator[ast.Attribute | ast.Subscript | ast.Expr] = nodes_of(
        node, ast.Attribute, ast.Subscript, ast.Expr
    )
    for one in nodes:
        if not isinstance(one, ast.Expr):
            if isinstance(one.ctx, ast.Store):
                yield one
            continue
        for call in _chained(one.value):
            if _is_changing(last_name(call.func)):
                yield call.func


def _chained(node: ast.expr) -> Iterator[ast.Call]:
    """Yield `model.half()` of `model.half().eval()`, too."""
    while isinstance(node, ast.Call):
        yield node
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func


def changing(tree: ast.AST) -> set[str]:
    """Return the names of a source's functions that change what they did not make."""
    functions: Iterator[ast.FunctionDef | ast.AsyncFunctionDef] = nodes_of(
        tree, ast.FunctionDef, ast.AsyncFunctionDef
    )
    return {one.name for one in functions if _changes_others(one)}


def _changes_others(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    changed = {root(one) for one in changes(function)}
    return bool(changed) and not changed <= names_set(function)


def _is_changing(name: str) -> bool:
    return name in _CHANGING or (name.endswith("_") and not name.startswith("__"))
