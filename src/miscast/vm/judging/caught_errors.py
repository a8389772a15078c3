"""Check whether the program handles an error. Real torch would raise it, and the program go another way.

    try:
        return torch.linalg.inv(a)                      no half kernel on this device
    except RuntimeError:
        return torch.linalg.inv(a.float()).to(a.dtype)

There the error is raised, as torch raises it; a finding would be a false alarm, and the run take the wrong branch. A
handler far from the op must make up for it: what only prints, skips the batch, or raises again, hides a mistake.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ...core.failure import is_ours
from ...core.syntax import last_name, nodes_of, parsed_file
from ..provenance.executing_node import tree_of
from ..provenance.origin import TORCH, USER, frames_of_run, kind_of
from ..values.branches import EXITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import CodeType, FrameType

_ALL = frozenset({"Exception", "BaseException"})
_SUPPRESS = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
_REPORTS = frozenset({
    "print()", "str()", "repr()", "format()", "len()", "join()", "time()", "log()", "info()",
})  # fmt: skip
_read: dict[str, tuple[list[str], tuple[_Guard, ...]]] = {}
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class _Guard(NamedTuple):
    """Lines whose errors are caught: by the `handler` of a `try` with this `body`, or by a `with` (no handler)."""

    first: int
    last: int
    kinds: frozenset[str]
    handler: ast.ExceptHandler | None
    body: Sequence[ast.stmt]


def prepared(frame: FrameType, error: BaseException) -> bool:
    """Check whether code between the op below `frame` and the program's start catches `error` and takes another way."""
    for guard, near in _around(frame, type(error)):
        answer = _answer(guard, error, near=near)
        if answer is not None:
            return answer
    return False


def caught(frame: FrameType, kind: type[BaseException]) -> bool:
    """Check whether somebody between `frame` and the program's start catches such an error, whatever comes of it."""
    return any(True for _ in _around(frame, kind))


def _around(
    frame: FrameType, kind: type[BaseException]
) -> Iterator[tuple[_Guard, bool]]:
    """Yield what catches such errors, innermost first, and whether only torch's code is between."""
    names = {one.__name__ for one in kind.__mro__}
    near = True
    for one in frames_of_run(frame):
        if is_ours(one.f_code.co_filename):
            continue
        for guard in _guards(one.f_code):
            if guard.first <= one.f_lineno <= guard.last and guard.kinds & names:
                yield guard, near
        near = near and kind_of(one.f_code) == TORCH


def raised(kind: str, text: str) -> BaseException:
    """Return an error of torch's by its name ("RuntimeError", "OutOfMemoryError")."""
    found: Any = getattr(builtins, kind, None) or getattr(torch, kind, RuntimeError)
    error: BaseException = found(text)
    return error


def _guards(code: CodeType) -> tuple[_Guard, ...]:
    """Return all of a file; read again only when `linecache` has read it again."""
    file = code.co_filename
    lines = linecache.getlines(file)
    if not lines:  # frozen, or typed in: a new empty list each time
        return ()
    known = _read.get(file)
    if known is None or known[0] is not lines:
        # the user's are parsed for other answers, too
        tree = tree_of(file) if kind_of(code) == USER else parsed_file(file)
        nodes: Iterator[ast.Try | ast.With | ast.AsyncWith] = nodes_of(
            tree, ast.Try, ast.With, ast.AsyncWith
        )
        found = [guard for node in nodes for guard in _of(node)]
        innermost = sorted(found, key=lambda guard: guard.last - guard.first)
        known = _read[file] = lines, tuple(innermost)
    return known[1]


def _of(node: ast.Try | ast.With | ast.AsyncWith) -> list[_Guard]:
    if isinstance(node, ast.Try):
        return [
            _Guard(*_span(node.body), _caught(one.type), one, node.body)
            for one in node.handlers
        ]
    calls = [
        item.context_expr
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
    ]
    kinds = [
        frozenset().union(*map(_caught, call.args))
        for call in calls
        if last_name(call.func) in _SUPPRESS
    ]
    return [_Guard(*_span(node.body), kind, None, node.body) for kind in kinds]


def _span(body: Sequence[ast.stmt]) -> tuple[int, int]:
    return body[0].lineno, body[-1].end_lineno or 0


def _caught(kind: ast.expr | None) -> frozenset[str]:
    if kind is None:
        return _ALL
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return frozenset(last_name(one) for one in kinds)


def _answer(guard: _Guard, error: BaseException, *, near: bool) -> bool | None:
    """Check whether the handler takes another way; None if it raises the error again, for others to catch."""
    if guard.handler is None:
        return True
    taken = list(_taken(guard.handler.body, error))
    if any(isinstance(one, ast.Raise) and one.exc is None for one in taken):
        return None
    if any(map(_ends, taken)):
        return False
    if near:
        return True
    # "whatever it was": of a process, a future
    if guard.kinds & _ALL and not _looks_for_memory(guard.handler, error):
        return False
    return _makes_up(guard.body, taken)


def _ends(one: ast.AST) -> bool:
    """Check whether a handler's statement ends the program: by another error, or by leaving it."""
    return isinstance(one, ast.Raise) or (
        isinstance(one, ast.Call) and last_name(one.func) in EXITS
    )


def _makes_up(body: Sequence[ast.stmt], taken: Sequence[ast.AST]) -> bool:
    """Check whether a handler brings about what the `body` of its `try` was to."""
    nodes = [n for one in body for n in ast.walk(one)]
    # `bs //= 2`, and the loop's next round takes it
    again = {f"{n.id} =" for n in nodes if isinstance(n, ast.Name)}
    return bool(_done(taken) & (_done(nodes) | again) - _REPORTS)


def _looks_for_memory(handler: ast.ExceptHandler, error: BaseException) -> bool:
    """Check whether a handler of all errors looks what it has, where memory ended.

    Accelerate's search for a batch size.
    """
    return isinstance(error, torch.OutOfMemoryError) and any(
        isinstance(one, ast.If) for one in handler.body
    )


def _taken(body: Iterable[ast.stmt], error: BaseException) -> Iterator[ast.AST]:
    """Yield the nodes of a handler that run; of `if "out of memory" in str(error)` the branch that the text selects.

    Of a test that cannot be read both; but where memory ends, it is memory that the handler was written for.
    """
    for one in body:
        if not isinstance(one, ast.If):
            yield from ast.walk(one)
            continue
        holds = _holds(one, error)
        branches = {
            None: (one.body, one.orelse),
            True: (one.body,),
            False: (one.orelse,),
        }[holds]
        for branch in branches:
            yield from _taken(branch, error)
        if holds is not None and branches[0] and isinstance(branches[0][-1], _LEAVES):
            return  # what follows is for other errors


def _holds(one: ast.If, error: BaseException) -> bool | None:
    """Return which branch is taken; None if the test cannot be read."""
    says = _says(one.test, str(error))
    if says is None and isinstance(error, torch.OutOfMemoryError):
        raises = (n for inner in one.body for n in nodes_of(inner, ast.Raise))
        return next(raises, None) is None
    return says


def _says(test: ast.expr, text: str) -> bool | None:
    """Return what a test for words in an error's text comes to; None if it is another test."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _says(test.operand, text)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [_says(value, text) for value in test.values]
        if None in parts:
            return None
        return all(parts) if isinstance(test.op, ast.And) else any(parts)
    return _word_is_in(test, text)


def _word_is_in(test: ast.expr, text: str) -> bool | None:
    """Return what `"word" in str(error)` comes to."""
    match test:
        case ast.Compare(
            left=ast.Constant(value=str(word)), ops=[ast.In() | ast.NotIn() as op]
        ):
            lowered = any(
                n.attr in ("lower", "casefold") for n in nodes_of(test, ast.Attribute)
            )
            return (word in (text.lower() if lowered else text)) is isinstance(
                op, ast.In
            )
    return None


def _done(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return what a piece of code brings about.

    Names that it gives a value, functions that it calls, a value returned.
    """
    nothing = (ast.Constant, type(None))
    found = {
        "return"
        for n in nodes
        if isinstance(n, ast.Return) and not isinstance(n.value, nothing)
    }
    found |= {
        f"{n.id} ="
        for n in nodes
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return frozenset(
        found | {f"{last_name(n.func)}()" for n in nodes if isinstance(n, ast.Call)}
    )
