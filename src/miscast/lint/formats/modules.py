"""What a module's statements say of its names: what each is imported from, or bound to; is it a configuration."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

_DECLARATIVE = (ast.Import, ast.ImportFrom, ast.With)
_PURE = ("dict", "int")


def is_configuration(tree: ast.Module) -> bool:
    """Whether a module defines nothing and calls nothing, as XTuner's and Open-Sora's configurations."""
    return all(map(_is_declarative, tree.body))


def _is_declarative(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        calls = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
        names = all(isinstance(target, ast.Name) for target in statement.targets)
        return names and all(dotted(call.func) in _PURE for call in calls)
    if isinstance(statement, ast.If):
        return all(map(_is_declarative, (*statement.body, *statement.orelse)))
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, (*_DECLARATIVE, ast.AugAssign))


def imported(tree: ast.Module, library: str) -> int:
    """The first line of the module itself that imports a library, or a part of it; 0 if there is none."""
    for statement in tree.body:
        if any(name.partition(".")[0] == library for name in _modules(statement)):
            return statement.lineno
    return 0


def _modules(statement: ast.stmt) -> list[str]:
    """The modules that a statement imports by their full names."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    if isinstance(statement, ast.ImportFrom) and statement.level == 0:
        return [statement.module or ""]
    return []


def bound_once(tree: ast.Module, nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """The names of the module that are bound exactly once in the file, to a literal."""
    counts = Counter(_bound(node) for node in nodes)
    return {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1
        if isinstance(target := statement.targets[0], ast.Name)
        and counts[target.id] == 1
    }


def _bound(node: ast.AST) -> str:
    """The name that a node gives a value: an assignment's target, a parameter."""
    if isinstance(node, ast.arg):
        return node.arg
    return (
        node.id
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        else ""
    )


def imports(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """The module that each name of the file is imported from; a relative one is ".…"."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {alias.asname or alias.name: module for alias in node.names}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = alias.name
    return found


def dotted(node: ast.expr) -> str:
    """`a.b.c` of names and attributes; of attributes of something else, ".b.c"; else nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join((node.id, *parts))
    return ".".join(("", *parts)) if parts else ""
