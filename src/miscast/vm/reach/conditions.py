"""Work out a condition of the program for other values of its counters; no code of the program's runs for it.

holds = over_counters(test, frame, {"step"})     # of `step % every == 0`
holds({"step": 100})                             # True, if `every` is 50 in the frame
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Any

from ...core.syntax import paths_read
from ..provenance.safe_lookup import value_of

_Test = Callable[[Mapping[str, int]], Any]
_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, several: one in several,
    ast.NotIn: lambda one, several: one not in several,
}  # fmt: skip
_VALUES = frozenset(
    {bool, int, float, str, type(None), list, tuple, range, set, frozenset}
)


class UnclearError(Exception):
    """Only the program can work it out."""


def names_in(node: ast.expr) -> set[str]:
    """Return the names and the paths of attributes that an expression looks at."""
    return set(map(ast.unparse, paths_read(node)))


_UNARY: Mapping[type, Callable[[Any], Any]] = {ast.Not: operator.not_}
_JOINED: Mapping[type, Callable[[Iterable[object]], bool]] = {ast.Or: any}


def over_counters(node: ast.expr, frame: FrameType, counters: set[str]) -> _Test:
    """Return a condition as a function of counters, with all else at its present value. Raises UnclearError."""
    if counters.isdisjoint(names_in(node)):
        value = value_of(node, frame)
        if type(value) not in _VALUES:
            raise UnclearError
        return lambda _: value
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = ast.unparse(node)
        return lambda at: at[name]
    if isinstance(node, ast.UnaryOp):
        inner = over_counters(node.operand, frame, counters)
        operation = _UNARY.get(type(node.op), operator.neg)
        return lambda at: operation(inner(at))
    if isinstance(node, ast.BinOp):
        return _both(node.op, node.left, node.right, frame, counters)
    if isinstance(node, ast.BoolOp):
        parts = [*_decidable(node.values, frame, counters)]
    elif isinstance(node, ast.Compare):
        sides = zip(
            node.ops, [node.left, *node.comparators], node.comparators, strict=False
        )
        parts = [_both(*side, frame, counters) for side in sides]
    else:
        raise UnclearError
    every = _JOINED.get(type(getattr(node, "op", None)), all)
    return lambda at: every(part(at) for part in parts)


def _decidable(
    nodes: Iterable[ast.expr], frame: FrameType, counters: set[str]
) -> Iterator[_Test]:
    """Yield the parts of a condition that counters decide; the other parts are assumed to agree."""
    for node in nodes:
        if not counters.isdisjoint(names_in(node)):
            yield over_counters(node, frame, counters)


def _both(
    op: ast.AST, left: ast.expr, right: ast.expr, frame: FrameType, counters: set[str]
) -> _Test:
    apply = _OPERATORS.get(type(op))
    if apply is None:
        raise UnclearError
    first, second = (over_counters(one, frame, counters) for one in (left, right))
    return lambda at: apply(first(at), second(at))
