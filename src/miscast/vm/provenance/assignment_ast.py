"""Find the lines that set a name, by source alone: `x` in `model(x)` is set by `x = batch["image"]`.

scope, = scopes(tree, statement, ("x",))
stored(scope, ("x",))                    # the statements that set it, in the order of lines
returned(code)                           # the statements with which a function of the user's hands something out
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from ...core.syntax import nodes_of
from .executing_node import definition, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import CodeType

Chain: TypeAlias = tuple[str, ...]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HEADS = (
    ((ast.For, ast.AsyncFor), "iter"),
    ((ast.While, ast.If), "test"),
    ((ast.Match,), "subject"),
)


def attributes(node: ast.AST) -> Chain:
    """Return the names of `self.vae.encoder`; empty for anything but a plain name with attributes."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return (node.id, *names) if isinstance(node, ast.Name) else ()


def statement_at(tree: ast.Module, line: int) -> ast.stmt | None:
    """Return the innermost statement at a line."""
    at = [
        n
        for n in nodes_of(tree, ast.stmt)
        if n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    return max(at, key=lambda n: (n.lineno, -(n.end_lineno or 0)), default=None)


@lru_cache(maxsize=256)  # a line that fails does so again
def read(statement: ast.stmt) -> Iterable[Chain]:
    """Return the names, with their attributes, that a statement reads, each once: of one with a block, its head."""
    nodes = (
        node
        for node in _expressions(statement)
        if isinstance(node, (ast.Name, ast.Attribute))
    )
    return _chains(node for node in nodes if isinstance(node.ctx, ast.Load))


def given_to(tree: ast.Module, line: int, function: str) -> Iterator[ast.stmt]:
    """Yield the last statement of the same function that set a name which a line gives to its calls of `function`."""
    statement = statement_at(tree, line)
    if statement is None:
        return
    for name in _given(statement, function):
        scope = next(scopes(tree, statement, name))
        if scope is not tree:
            yield from [
                one for one in stored(scope, name) if one.lineno < statement.lineno
            ][-1:]


def _given(statement: ast.stmt, name: str) -> Iterator[Chain]:
    """Yield the names that a statement gives to its calls of a function."""
    for node in _expressions(statement):
        if isinstance(node, ast.Call) and attributes(node.func)[-1:] == (name,):
            yield from (
                chain for argument in node.args if (chain := attributes(argument))
            )


@lru_cache(maxsize=256)
def called(statement: ast.stmt) -> Iterable[Chain]:
    """Return the names of what a statement calls, each once: of one with a block, its head."""
    return _chains(
        node.func for node in _expressions(statement) if isinstance(node, ast.Call)
    )


def _chains(nodes: Iterable[ast.expr]) -> Iterable[Chain]:
    return dict.fromkeys(chain for chain in map(attributes, nodes) if chain)


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    for head in _heads(statement):
        yield from ast.walk(head)


def _heads(statement: ast.stmt) -> Sequence[ast.AST]:
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in statement.items]
    for kinds, head in _HEADS:
        if isinstance(statement, kinds):
            return [getattr(statement, head)]
    return [statement]


def scopes(tree: ast.Module, statement: ast.stmt, chain: Chain) -> Iterator[ast.AST]:
    """Yield scopes that may set a name that a statement reads, innermost first; for `self.x` the class.

    None after a function that has it as a parameter: there it is set by who calls.
    """
    if chain[0] == "self":
        yield from _around(tree, statement, (ast.ClassDef,))
        return
    for scope in _around(tree, statement, _FUNCTIONS):
        yield scope
        if isinstance(scope, _FUNCTIONS) and chain[0] in _parameters(scope):
            return
    yield tree


def _around(
    tree: ast.Module, statement: ast.stmt, kinds: tuple[type[ast.stmt], ...]
) -> list[ast.stmt]:
    """Return the functions or classes that contain a statement, the innermost first."""
    last = statement.end_lineno or statement.lineno
    around = [
        node
        for node in nodes_of(tree, *kinds)
        if node.lineno <= statement.lineno and last <= (node.end_lineno or 0)
    ]
    return sorted(around, key=lambda node: node.lineno, reverse=True)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    given = function.args
    extra = [one for one in (given.vararg, given.kwarg) if one is not None]
    return {
        one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra)
    }


def stored(scope: ast.AST, chain: Chain) -> Sequence[ast.stmt]:
    """Return the statements of a scope that set a name, in the order of lines: of a class, those of its methods."""
    return _all_stored(scope).get(chain, ())


@lru_cache(maxsize=64)  # each finding asks for some names of the same scopes
def _all_stored(scope: ast.AST) -> dict[Chain, tuple[ast.stmt, ...]]:
    """Return the statements that set names, by name."""
    found: dict[Chain, dict[ast.stmt, None]] = {}
    for statement, node in _within(scope, deep=isinstance(scope, ast.ClassDef)):
        if chain := _set_by(node):
            found.setdefault(chain, {})[statement] = None
    return {
        chain: tuple(sorted(statements, key=lambda one: one.lineno))
        for chain, statements in found.items()
    }


def run_by(
    line: int, scope: ast.AST, statements: Iterable[ast.stmt]
) -> Iterator[ast.stmt]:
    """Yield the statements of a scope that may have run when it is at a line: before it, or in a loop with it."""
    loops = [one for one in _loops(scope) if _spans(one, line)]
    return (
        one
        for one in statements
        if one.lineno < line or any(_spans(loop, one.lineno) for loop in loops)
    )


@lru_cache(maxsize=64)
def _loops(scope: ast.AST) -> tuple[ast.stmt, ...]:
    loops = (ast.For, ast.AsyncFor, ast.While)
    inside = _within(scope, deep=False)
    return tuple(s for s, node in inside if s is node and isinstance(s, loops))


def _spans(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or 0)


def _set_by(node: ast.AST) -> Chain:
    """Return the name that a node sets, as the target of an assignment or `self.register_buffer("mean", …)`."""
    match node:
        case ast.Name(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            return attributes(node)
        case ast.Call(args=[ast.Constant(value=str(name)), *_]):
            *owner, called = attributes(node.func) or ("",)
            if called in ("register_buffer", "register_parameter"):
                return (*owner, name)
    return ()


def _within(scope: ast.AST, *, deep: bool) -> Iterator[tuple[ast.stmt, ast.AST]]:
    """Yield the nodes in a scope, each with its statement; functions and classes inside it only if `deep`."""
    todo: list[tuple[ast.stmt | None, ast.AST]] = [(None, scope)]
    while todo:
        statement, node = todo.pop()
        inner = node if isinstance(node, ast.stmt) and node is not scope else statement
        if inner is not None:
            yield inner, node
        if (
            deep
            or node is scope
            or not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda))
        ):
            todo += [(inner, child) for child in ast.iter_child_nodes(node)]


def returned(code: CodeType) -> list[ast.stmt]:
    """Return the statements with which a function returns or yields."""
    node = _definition(code)
    inside = _within(node, deep=False) if node else ()
    out = {
        statement
        for statement, one in inside
        if isinstance(one, (ast.Return, ast.Yield))
    }
    return sorted(out, key=lambda statement: statement.lineno)


def named(code: CodeType, statement: ast.stmt) -> list[ast.stmt]:
    """Return, for `return x` in a function, the last statement before it that sets `x`."""
    node, value = _definition(code), getattr(statement, "value", None)
    if node is None or not isinstance(value, ast.Name):
        return []
    return [one for one in stored(node, (value.id,)) if one.lineno < statement.lineno][
        -1:
    ]


def _definition(code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    tree = tree_of(code.co_filename)
    return definition(tree, code) if tree is not None else None


def results(statement: ast.stmt) -> Chain:
    """Return the function whose result, or a method's result of that, a statement keeps: `x = make(2).to(device)`."""
    value = getattr(statement, "iter", None) or getattr(statement, "value", None)
    while isinstance(value, ast.Call):
        chain = attributes(value.func)
        if chain:
            return chain
        value = value.func.value if isinstance(value.func, ast.Attribute) else None
    return ()


def autocasts(tree: ast.Module, line: int) -> Iterator[tuple[ast.stmt, ast.Call]]:
    """Yield the `with torch.autocast(…)` around a line, and those of other owners, each with its call."""
    blocks: Iterator[ast.With | ast.AsyncWith] = nodes_of(tree, ast.With, ast.AsyncWith)
    for node in blocks:
        if node.lineno < line <= (node.end_lineno or 0):
            calls = (item.context_expr for item in node.items)
            yield from (
                (node, call)
                for call in calls
                if isinstance(call, ast.Call)
                and attributes(call.func)[-1:] == ("autocast",)
            )
