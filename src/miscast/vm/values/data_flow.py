"""Follow a value within a function: the uses of its name, and whether a loop's end depends on it.

By names alone, without order: `correct += n` and `acc = correct / total` make `acc` depend on `n`, and
`if acc > 0.9: self.done = True` makes `self.done`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...core.syntax import nodes_of
from .branches import endless, escapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .asked_expression import Tree

_GROWS = ("append", "add", "update")


def used(tree: Tree, node: ast.AST, name: str) -> list[ast.Name]:
    """Return the places at which the function of `node` reads a name."""
    return [
        n
        for n in nodes_of(tree.scope(node), ast.Name)
        if n.id == name and isinstance(n.ctx, ast.Load)
    ]


def awaited(tree: Tree, node: ast.expr) -> tuple[bool, bool]:
    """Check whether the end of an endless loop around `node`, or the function's result, depends on it."""
    scope = tree.scope(node)
    names = _follows(scope, node)
    waits = any(
        isinstance(up, (ast.While, ast.For))
        and endless(up)
        and any(_mentions(t, names, node) for t in _ends(up))
        for up in tree.above(node)
    )
    returns = [
        n.value
        for n in ast.walk(scope)
        if isinstance(n, (ast.Return, ast.Yield)) and n.value is not None
    ]
    if isinstance(scope, ast.Lambda):
        returns = [scope.body]
    return waits, any(_mentions(value, names, node) for value in returns)


def _follows(scope: ast.AST, node: ast.expr) -> set[str]:
    """Return the names that come from `node`, also by way of others."""
    flows = [(targets, source) for targets, source in _flows(scope) if targets]
    names: set[str] = set()
    for _ in range(8):  # a chain of names longer than this is not followed
        more = {
            n
            for targets, source in flows
            if _mentions(source, names, node)
            for n in targets
        }
        if more <= names:
            break
        names |= more
    return names


def _flows(scope: ast.AST) -> Iterator[tuple[set[str], ast.AST]]:
    """Yield what each statement sets, and from what; all that is set within an `if` comes from its test, too."""
    for s in ast.walk(scope):
        yield _targets(s), _source(s)
        if isinstance(s, ast.If):
            yield {t for n in ast.walk(s) for t in _targets(n)}, s.test


def assigned(node: ast.AST) -> list[ast.expr]:
    """Return the targets of an assignment of any kind, a statement or `:=`; an empty list for other nodes."""
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
        return [node.target]
    return []


def _targets(s: ast.AST) -> set[str]:
    if (
        isinstance(s, ast.Call)
        and isinstance(s.func, ast.Attribute)
        and s.func.attr in _GROWS
    ):
        return {ast.unparse(s.func.value)}
    parts = (
        [t for whole in s.targets for t in _each(whole)]
        if isinstance(s, ast.Assign)
        else assigned(s)
    )
    return set(map(ast.unparse, parts))


def _source(s: ast.AST) -> ast.AST:
    if isinstance(s, ast.Call):
        return ast.Tuple(elts=s.args, ctx=ast.Load())
    value: ast.AST | None = getattr(s, "value", None)
    return value or ast.Pass()


def _each(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return target.elts
    return [target.value] if isinstance(target, ast.Subscript) else [target]


def _ends(loop: ast.While | ast.For) -> list[ast.expr]:
    """Return the tests that decide whether a loop continues, with those of all `if`s around an exit."""
    found = [
        n.test for n in nodes_of(loop, ast.If) if _leaves(n.body) or _leaves(n.orelse)
    ]
    return [loop.test, *found] if isinstance(loop, ast.While) else found


def _leaves(body: list[ast.stmt]) -> bool:
    return escapes([s for top in body for s in nodes_of(top, ast.stmt)])


def _mentions(tree: ast.AST, names: set[str], node: ast.expr) -> bool:
    return any(
        n is node
        or (
            isinstance(n, (ast.Name, ast.Attribute, ast.Subscript))
            and ast.unparse(n) in names
        )
        for n in ast.walk(tree)
    )
