"""The branches of a source, and the source told apart at each: which way it went is called out, nothing else changes.

    if step % every == 0:    ->   if (taken(7) if step % every == 0 else passed(7)):
    for x in parts:          ->   for x in each(8, parts): taken(8); …
    except StopIteration:    ->   except StopIteration: taken(9); …           and in its `try`: begun(9, 1); …
                                  or, if it looks at `x`: begun(9, 1, "x"); …; through(9, 1)
    match kind: case "a":    ->   match subject(10, 1, kind): case "a": taken(10); …
    for step in range(n):    ->   for step in rounds(2, range(n)): …      loops that may be cut (`rounds`)
    while step < n:          ->   rounds(3); while (again(3) if step < n else again(3, False)): …

Every node keeps its place, so that tracebacks, `inspect` and what reads frames see the source as it stands on the disk.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ...core.event import ConditionKind
from ...core.syntax import last_name, names_set, nodes_of, suites
from .loops import Loop, Loops
from .sides import Branch, Side, like_each_other, reads_of, side_of, side_within
from .words import answers_in, is_for_what_is_absent, is_no_choice, kind_of

NAMES = {
    name: f"__miscast_{name}__"
    for name in ("taken", "passed", "each", "begun", "through", "subject", "rounds", "again")
}  # fmt: skip
"""What is called out to, by the method of `Ways` that hears it."""
_LEAVE = (ast.Return, ast.Continue, ast.Break)
_SUITES = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NUMBA = frozenset({"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil"})
"""Decorators that compile the bytecode of a function, which can call nothing of Python."""
_Edits = Iterator[Callable[[], None]]


def told_apart(
    tree: ast.Module, file: str, first: int, loops: list[Loop]
) -> list[Branch]:
    """Change a module's syntax tree so that its branches call out, numbered from `first` on; return them.

    The loops that may be cut are added to `loops`, and call out with their index in it.
    """
    work = _Apart(tree, file, first, loops)
    work.suite(tree.body)
    return work.found


class _Apart:
    def __init__(
        self, tree: ast.Module, file: str, first: int, loops: list[Loop]
    ) -> None:
        self._file, self._first = file, first
        self._reads, self._answers = reads_of(tree), answers_in(tree)
        self._module, self._loops = Loops(tree, file), loops
        self._compiled = set(_handed_to_numba(tree))
        self.found: list[Branch] = []

    def suite(self, body: list[ast.stmt]) -> None:
        """Instrument statements that follow each other."""
        statements = list(body)
        for index, statement in enumerate(statements):
            if getattr(statement, "name", None) in self._compiled:
                continue
            # what lies where is read before anything there is changed
            edits = [
                *self._conditionals(statement),
                *self._own(statement, statements[index + 1 :]),
                *self._rounds(statement, body),
            ]
            around = self._reads
            if isinstance(statement, _DEFINITIONS):
                self._reads = reads_of(statement)
            for part in _suites(statement):
                self.suite(part)
            self._reads = around
            for edit in edits:
                edit()

    def _own(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> _Edits:
        """Yield the branches that a statement is."""
        if isinstance(statement, (ast.If, ast.While)):
            yield from self._condition(statement, rest)
        elif isinstance(statement, ast.For):
            yield from self._loop(statement)
        elif isinstance(statement, ast.Try):
            yield from self._handlers(statement)
        elif isinstance(statement, ast.Match):
            yield from self._cases(statement)

    def _condition(self, node: ast.If | ast.While, rest: Sequence[ast.stmt]) -> _Edits:
        if isinstance(node, ast.While):
            rest = ()
        elif node.orelse:
            rest = node.orelse
        elif not isinstance(node.body[-1], _LEAVE):
            rest = ()
        lead = node.test.lineno
        sides = [side_of(suite, lead, self._reads) for suite in (rest, node.body)]
        if node.orelse:
            sides = like_each_other(sides)
        yield from self._asked(node, node, *sides)

    def _conditionals(self, statement: ast.stmt) -> _Edits:
        """Yield the conditional expressions in what a statement itself works out."""
        parts = _parts(statement)
        last = max([statement.lineno, *(int(one.end_lineno or 0) for one in parts)])
        for node in (node for part in parts for node in _outside_texts(part)):
            if isinstance(node, ast.IfExp):
                ways = (
                    side_within(one, statement, last, self._reads)
                    for one in (node.orelse, node.body)
                )
                yield from self._asked(node, statement, *ways)

    def _asked(
        self,
        node: ast.If | ast.While | ast.IfExp,
        whole: ast.stmt,
        passed: Side | None,
        taken: Side | None,
    ) -> _Edits:
        test = node.test
        kind = kind_of(test, self._answers)
        if is_no_choice(test) or not (taken or passed):
            return
        sides = passed, taken
        number = self._new(test, ast.unparse(test), kind, sides, whole, asked=test)

        def edit() -> None:
            ways = _call("taken", number), _call("passed", number)
            node.test = _placed(
                ast.IfExp(test=node.test, body=ways[0], orelse=ways[1]), test
            )

        yield edit

    def _loop(self, node: ast.For) -> _Edits:
        side = side_of(node.body, node.lineno, self._reads)
        if side is None:
            return
        text = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        sides = None, side
        number = self._new(node.iter, text, "empty", sides, node, asked=node.iter)
        items, body = node.iter, node.body

        def edit() -> None:
            node.iter = _placed(_call("each", number, items), items)
            _begins(body, _call("taken", number))

        yield edit

    def _rounds(self, node: ast.stmt, around: list[ast.stmt]) -> _Edits:
        """Yield a loop that may be cut."""
        if not isinstance(node, (ast.For, ast.While)):
            return
        loop = self._module.loop(node)
        if loop is None:
            return
        number = len(self._loops)
        self._loops.append(loop)

        def edit() -> None:
            if isinstance(node, ast.For):
                items = node.iter
                node.iter = _placed(_call("rounds", number, items), items)
            else:
                test = node.test
                ends = _call("again", number, ast.Constant(False))
                goes = ast.IfExp(test=test, body=_call("again", number), orelse=ends)
                node.test = _placed(goes, test)
                _begins(around, _call("rounds", number), node, around.index(node))

        yield edit

    def _handlers(self, node: ast.Try) -> _Edits:
        if any(nodes_of(node, ast.Import, ast.ImportFrom)):
            return  # whether a library is there
        first = self._next
        for handler in node.handlers:
            side = side_of(handler.body, node.handlers[0].lineno, self._reads)
            if side is None or is_for_what_is_absent(handler.type):
                continue
            text = f"except {ast.unparse(handler.type)}" if handler.type else "except"
            sides, given = (None, side), handler.type
            number = self._new(handler, text, "error", sides, node, given=given)
            yield _beginning(handler.body, number)
        if self._next == first:
            return
        many, body = ast.Constant(self._next - first), node.body
        needed = [ast.Constant(name) for name in _needed(node)]
        at_end = needed and not isinstance(body[-1], (*_LEAVE, ast.Raise))

        def edit() -> None:
            begin, end = body[0], body[-1]
            _begins(body, _call("begun", first, many, *needed), begin)
            if at_end:
                _begins(body, _call("through", first, many), end, len(body))

        yield edit

    def _cases(self, node: ast.Match) -> _Edits:
        first = self._next
        subject = node.subject
        lead = node.lineno
        sides = [side_of(case.body, lead, self._reads) for case in node.cases]
        for case, side in zip(node.cases, like_each_other(sides), strict=True):
            value = _matched(case)
            if side is None or case.guard is not None:
                continue
            kind: ConditionKind = "guard"
            if value is not None:
                test = ast.Compare(left=subject, ops=[ast.Eq()], comparators=[value])
                kind = kind_of(test)
            text = f"match {ast.unparse(subject)}: case {ast.unparse(case.pattern)}"
            number = self._new(
                case.pattern, text, kind, (None, side), node, asked=subject, given=value
            )
            yield _beginning(case.body, number)
        if self._next == first:
            return
        many = ast.Constant(self._next - first)

        def edit() -> None:
            node.subject = _placed(_call("subject", first, many, node.subject), subject)

        yield edit

    @property
    def _next(self) -> int:
        return self._first + len(self.found)

    def _new(
        self,
        at: ast.expr | ast.pattern | ast.excepthandler,
        text: str,
        kind: ConditionKind,
        sides: tuple[Side | None, Side | None],
        whole: ast.stmt,
        **how: ast.expr | None,
    ) -> int:
        """Return the number of one more branch."""
        self.found.append(
            Branch(
                file=self._file,
                line=at.lineno,
                text=text,
                kind=kind,
                sides=sides,
                end=int(whole.end_lineno or 0),
                **how,
            )
        )
        return self._next - 1


def _beginning(body: list[ast.stmt], number: int) -> Callable[[], None]:
    return lambda: _begins(body, _call("taken", number))


def _begins(
    body: list[ast.stmt], call: ast.expr, like: ast.stmt | None = None, at: int = 0
) -> None:
    """Insert a callback at the beginning of a suite, or before the statement of this index."""
    body.insert(at, _placed(ast.Expr(value=call), like or body[0]))


def _needed(node: ast.Try) -> list[str]:
    """Return the names that handlers look at, and the statements before them set."""
    kept = set().union(*map(names_set, node.body))
    read = {
        one.id
        for handler in node.handlers
        for one in nodes_of(handler, ast.Name)
        if isinstance(one.ctx, ast.Load)
    }
    return sorted(kept & read)


def _matched(case: ast.match_case) -> ast.expr | None:
    """Return a value that a case matches; None where it is not written out, or another condition comes to it."""
    pattern = case.pattern
    if isinstance(pattern, ast.MatchOr):
        pattern = pattern.patterns[0]
    if case.guard is not None:
        return None
    if isinstance(pattern, ast.MatchValue):
        return pattern.value
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Constant(pattern.value)
    if isinstance(pattern, ast.MatchAs) and pattern.name is None:
        return ast.Constant(...)
    return None


def _suites(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the suites of a compound statement."""
    inner = (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
    return [suite for node in (statement, *inner) for suite in suites(node)]


def _parts(statement: ast.stmt) -> list[ast.expr]:
    """Return what a statement works out before its suites; of a definition nothing."""
    if isinstance(statement, _DEFINITIONS):
        return []
    fields = (v for name, v in ast.iter_fields(statement) if name not in _SUITES)
    found: list[ast.expr] = []
    for value in fields:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, ast.AST):
                found += _expressions(one)
    return found


def _expressions(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.expr):
        return [node]
    return [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]


def _outside_texts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of an expression, except those within f-strings, which have no positions before Python 3.12."""
    if isinstance(node, ast.JoinedStr):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_texts(child)


def _call(name: str, number: int, *rest: ast.expr) -> ast.Call:
    return ast.Call(
        func=ast.Name(id=NAMES[name], ctx=ast.Load()),
        args=[ast.Constant(number), *rest],
        keywords=[],
    )


Placed = TypeVar("Placed", ast.expr, ast.stmt)


def _placed(node: Placed, like: ast.AST) -> Placed:
    """Give the new nodes the position of another; those that have one keep it."""
    for one in ast.walk(node):
        if "lineno" in one._attributes and not hasattr(one, "lineno"):
            ast.copy_location(one, like)
    return node


def _handed_to_numba(tree: ast.Module) -> Iterator[str]:
    """Yield the functions under one of Numba's decorators, `@njit(cache=True)`, or given to one: `njit(distance)`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            used = (getattr(one, "func", one) for one in node.decorator_list)
            if not _NUMBA.isdisjoint(map(last_name, used)):
                yield node.name
        elif isinstance(node, ast.Call) and last_name(node.func) in _NUMBA:
            yield from (one.id for one in node.args if isinstance(one, ast.Name))
