"""A module's names: the module each is imported from, or its literal value; and whether it is a configuration."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from functools import cache

from ...core.syntax import dotted

_DECLARATIVE = (ast.Import, ast.ImportFrom, ast.With)
_PURE = ("dict", "int")
_FLAT = ("ctx", "op", "ops", "id", "attr", "kind", "level", "module", "type_comment")
"""Fields of nodes without other relevant nodes."""


def is_configuration(tree: ast.Module) -> bool:
    """Check whether a module defines nothing and calls nothing, like XTuner's and Open-Sora's configurations."""
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
    """Return the first line of the module that imports a library, or a part of it; 0 if there is none."""
    for statement in tree.body:
        if any(name.partition(".")[0] == library for name in _modules(statement)):
            return statement.lineno
    return 0


def _modules(statement: ast.stmt) -> list[str]:
    """Return the modules that a statement imports, by full name."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    if isinstance(statement, ast.ImportFrom) and statement.level == 0:
        return [statement.module or ""]
    return []


def nodes(tree: ast.Module) -> list[ast.AST]:
    """Yield the nodes of a file in the order of `ast.walk`, without those that only qualify another: `ctx`, `op`."""
    fields = _inner_fields()
    found: list[ast.AST] = [tree]
    for node in found:
        for name in fields[type(node)]:
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                found += [part for part in inner if isinstance(part, ast.AST)]
            elif isinstance(inner, ast.AST):
                found.append(inner)
    return found


@cache
def _inner_fields() -> dict[type, tuple[str, ...]]:
    """Return the fields of a kind of node that may have other nodes."""
    kinds = [kind for kind in vars(ast).values() if isinstance(kind, type)]
    found = {
        kind: tuple(name for name in kind._fields if name not in _FLAT)
        for kind in kinds
        if issubclass(kind, ast.AST)
    }
    return found | {ast.Constant: (), ast.Name: ()}


def bound_once(tree: ast.Module, nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """Return the names of the module that are bound exactly once in the file, to a literal."""
    counts = Counter(map(_bound, nodes))
    return {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1
        if isinstance(target := statement.targets[0], ast.Name)
        and counts[target.id] == 1
    }


def _bound(node: ast.AST) -> str:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return node.id
    return node.arg if isinstance(node, ast.arg) else ""


def imports(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Return the module that each name of the file is imported from; a relative one is ".…"."""
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
