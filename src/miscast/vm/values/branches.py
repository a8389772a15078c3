"""The effect of a program's branch: it raises, leaves the loop, or skips to the next round."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...core.syntax import last_name, nodes_of, suites

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .asked_expression import Tree

EXITS = frozenset({"exit", "quit", "_exit", "abort", "fail"})
_COUNTING = {"count", "cycle", "repeat", "iter"}
_FINITE = {
    "range", "enumerate", "zip", "tqdm", "trange", "list", "sorted", "reversed", "map",
    "filter", "tuple", "set",
}  # fmt: skip


def raises(body: Sequence[ast.stmt]) -> bool:
    """Check whether a branch ends the program, or would unless somebody catches it."""
    return any(
        isinstance(s, ast.Raise)
        or (
            isinstance(s, ast.Assert)
            and isinstance(s.test, ast.Constant)
            and not s.test.value
        )
        or (
            isinstance(s, ast.Expr)
            and isinstance(s.value, ast.Call)
            and last_name(s.value.func) in EXITS
        )
        for s in body
    )


def escapes(body: Sequence[ast.stmt]) -> bool:
    """Check whether a branch leaves the loop that contains it."""
    return any(isinstance(s, (ast.Break, ast.Return)) for s in body)


def skips(body: Sequence[ast.stmt]) -> bool:
    """Check whether a branch leaves the rest of the loop's body out."""
    return any(isinstance(s, ast.Continue) for s in body)


def stops_after(tree: Tree, statement: ast.If) -> bool:
    """Check whether a branch avoids a raise that follows it: `if ok: return x`, then `raise`."""
    if not (escapes(statement.body) or skips(statement.body)) or statement.orelse:
        return False
    for body in suites(tree.parents[statement]):
        if statement in body:
            after = body[body.index(statement) + 1 :]
            return bool(after) and raises(after[:1])
    return False


def endless(loop: ast.While | ast.For) -> bool:
    """Check whether a loop may go on for ever: a `while`, or a `for` over what never ends."""
    if isinstance(loop, ast.While):
        return True
    calls = [n.func for n in nodes_of(loop.iter, ast.Call)]
    # A function of the program's own may be a generator without end: one of torch's or of Python's is not.
    return any(
        last_name(f) in _COUNTING or (isinstance(f, ast.Name) and f.id not in _FINITE)
        for f in calls
    )
