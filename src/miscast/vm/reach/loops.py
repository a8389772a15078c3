"""Find the loops of a source that may be cut, and the conditions in them that counters decide.

for step in range(1000):            tests: step % 100 == 0
    loss = train(batch)
    if step % 100 == 0: …
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from ...core.syntax import last_name, names_set, nodes_of, paths_read

_ADDS = frozenset({"append", "extend", "add", "insert", "appendleft"})
_SUMMARIES = frozenset(
    {"sum", "len", "max", "min", "mean", "average", "print", "dump", "dumps", "save"}
)
_LEAVES = (ast.Break, ast.Return)


@dataclass(frozen=True, eq=False, kw_only=True)
class Loop:
    """A loop of the program.

    `target` is the name that a `for` sets, "" in a `while`. `tests` are the conditions in its body; those in `exits`
    end it. `collects`: what it adds to a container in each round is read elsewhere.
    """

    file: str
    line: int
    target: str
    tests: tuple[ast.expr, ...]
    exits: frozenset[ast.AST]
    collects: bool

    @cached_property
    def paths(self) -> Mapping[ast.expr, Mapping[str, ast.expr]]:
        """The expressions that each condition reads: names and paths of attributes, by their text."""
        return {
            test: {ast.unparse(one): one for one in paths_read(test)}
            for test in self.tests
        }


class Loops:
    """The loops of one module, whose syntax tree is still unchanged."""

    def __init__(self, tree: ast.Module, file: str) -> None:
        """Start with `file`, the module's path."""
        self._tree, self._file = tree, file
        self._read: Counter[str] | None = None

    def loop(self, node: ast.For | ast.While) -> Loop | None:
        """Return the facts of a loop; None for one that is never cut."""
        if isinstance(node, ast.For):
            known = isinstance(node.iter, (ast.Call, ast.Name))
            if not (known and isinstance(node.target, ast.Name)):
                return None
        elif not any(_own_breaks(node)) and isinstance(node.test, ast.Constant):
            return None  # nothing stands behind a loop without an end
        ifs = [one for part in node.body for one in nodes_of(part, ast.If)]
        leaving = [one.test for one in ifs if isinstance(one.body[-1], _LEAVES)]
        return Loop(
            file=self._file,
            line=node.lineno,
            target=getattr(getattr(node, "target", None), "id", ""),
            tests=tuple(_tests(node)),
            exits=frozenset(chain.from_iterable(map(ast.walk, leaving))),
            collects=self._collects(node),
        )

    def _collects(self, node: ast.For | ast.While) -> bool:
        own = set().union(*map(names_set, node.body))
        added = {name for name in _added(node) if name and name not in own}
        if not added:
            return False
        if self._read is None:
            self._read = _reads(self._tree)
        inside = _reads(node)
        return any(self._read[name] > inside[name] for name in added)


def _tests(node: ast.For | ast.While) -> Iterator[ast.expr]:
    for part in node.body:
        for one in ast.walk(part):
            if isinstance(one, (ast.If, ast.While, ast.IfExp, ast.Assert)):
                yield one.test
            elif isinstance(one, ast.comprehension):
                yield from one.ifs
            elif isinstance(one, (ast.Compare, ast.BoolOp)):
                yield one


def _own_breaks(node: ast.AST) -> Iterator[ast.Break]:
    """Yield the `break`s that end this loop, and no loop within."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Break):
            yield child
        elif not isinstance(child, (ast.For, ast.While, ast.AsyncFor)):
            yield from _own_breaks(child)


def _added(node: ast.AST) -> Iterator[str]:
    """Yield the names of containers that something is added to."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            if one.func.attr in _ADDS:
                yield _container(one.func.value)
        elif isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store):
            yield _container(one.value)


def _container(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return last_name(node)


def _reads(tree: ast.AST) -> Counter[str]:
    """Return how often names are read, but for their sum, their length and the like."""
    found: Counter[str] = Counter()
    for one in ast.walk(tree):
        if isinstance(one, (ast.Name, ast.Attribute)):
            found[last_name(one)] += isinstance(one.ctx, ast.Load)
    for call in nodes_of(tree, ast.Call):
        if last_name(call.func) in _SUMMARIES:
            found.subtract(map(last_name, call.args))
    return found
