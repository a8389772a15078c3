"""The stretch of a program's source that computes a step's loss and gradients: from the model's call to `backward()`.

    for x, y in loader:                 # what is before the stretch is done: x, y and the weights are there
        x = augmented(x)
        out = model(x)                  # ┐
        loss = criterion(out, y)        # │ the stretch, in the innermost function that both calls are below
        (loss / 4).backward()           # ┘
        optimizer.step()

It is compiled as a function of the variables that it reads, so it can be run again with the same ones. Where the model
is called in a function below, as `loss = forward_step(data, model)` does, that function is run from the call on, too:
the batch that it took before the call is not taken again.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, dropwhile, takewhile
from operator import itemgetter
from types import CodeType, FrameType
from typing import Any, TypeGuard

from ..core.syntax import nodes_of
from ..vm.provenance.executing_node import definition, executed_by, line_of, tree_of

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_MODULE = "<module>"
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip
ARGUMENTS = "_the_models_arguments"
"""The variable that holds what the model was called with."""
BELOW = "_what_is_below"
"""The variable that holds the rest of the function that was called, as a function without arguments."""


class UnreadableError(Exception):
    """No such stretch can be run by itself; the message says why."""


@dataclass(slots=True, kw_only=True, eq=False)
class Stretch:
    """A stretch's place, the variables it reads, and its code."""

    code: CodeType
    begin: int
    """The instruction of `code` at which the model was called."""
    end: int
    names: frozenset[str]
    statements: tuple[ast.stmt, ...] = field(repr=False)
    depth: int
    """Number of blocks around it within its function."""
    call: ast.Call | None = None
    """The call by which the model was reached, where these lines make it once."""
    written: tuple[str, ...] = ()
    """Names of the module's that the function says to be `global`."""

    def runner(
        self, variables: Mapping[str, Any], space: Mapping[str, Any]
    ) -> Callable[[], object]:
        """Return a function that runs the segment with these variables, and cannot change the module's names."""
        name = self.code.co_name if self.code.co_name.isidentifier() else "main"
        made = ast.parse(f"def {name}({', '.join(variables)}):\n for _ in (0,): pass")
        # in a loop of one turn, for the program's loop is outside: `continue` and `break` end it
        made.body[0].body[0].body = self._called_with(variables)  # type: ignore[attr-defined]
        if self.written:
            made.body[0].body.insert(0, ast.Global(names=list(self.written)))  # type: ignore[attr-defined]
        ast.fix_missing_locations(made)
        names = dict(space)
        try:
            compiled = compile(made, self.code.co_filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise UnreadableError(f"the code cannot run on its own: {error}") from error
        exec(compiled, names)  # noqa: S102 - the program's own lines
        run = names[name]
        # frames are to say what the program's own do
        run.__code__ = run.__code__.replace(co_name=self.code.co_name)
        return lambda: run(**variables)

    def _called_with(self, variables: Mapping[str, Any]) -> list[ast.stmt]:
        """Return the statements, with the call's arguments as they were, not as their code gives them now."""
        if self.call is None or not {BELOW, ARGUMENTS} & variables.keys():
            return list(self.statements)
        given = f"f(*{ARGUMENTS}[0], **{ARGUMENTS}[1])"
        text = f"{BELOW}()" if BELOW in variables else given
        again = ast.parse(text, mode="eval").body
        assert isinstance(again, ast.Call)
        for node in ast.walk(again):
            ast.copy_location(node, self.call)
        if BELOW not in variables:
            again.func = self.call.func
        memo: dict[int, Any] = {id(self.call): again}
        return [copy.deepcopy(one, memo) for one in self.statements]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """A stretch with the variables that it was begun with."""

    stretch: Stretch
    variables: dict[str, Any]
    space: dict[str, Any]


def runner(chain: Sequence[Standing]) -> Callable[[], object]:
    """Return a function that runs the first segment, in which the inner call runs the next one."""
    *outer, last = chain
    run = last.stretch.runner(last.variables, last.space)
    for one in reversed(outer):
        run = one.stretch.runner({**one.variables, BELOW: run}, one.space)
    return run


def between(frame: FrameType, begin: int) -> Stretch:
    """Return the stretch from an instruction of a frame to the one that it is at now. Raises UnreadableError."""
    code = frame.f_code
    scope = _scope(code)
    first, last = line_of(code, begin), line_of(code, frame.f_lasti)
    statements, depth = _block(scope.body, first, last)
    if not statements:
        raise UnreadableError(f"lines {first} to {last} are not in one block")
    call = executed_by(frame, begin)
    if _holds_node(statements[0], call):
        statements = [*_entered(statements[0], call), *statements[1:]]
    return _stretch(scope, statements, call, code, (begin, frame.f_lasti), depth)


def rest(frame: FrameType, begin: int) -> Stretch:
    """Return the stretch from a call that a frame makes to the end of its function. Raises UnreadableError."""
    scope = _scope(frame.f_code)
    call = executed_by(frame, begin)
    if call is None or not _holds_node(scope, call):
        raise UnreadableError(f"no call at line {line_of(frame.f_code, begin)}")
    statements = _from(scope.body, call)
    return _stretch(scope, statements, call, frame.f_code, (begin, -1), 0)


def _scope(code: CodeType) -> ast.Module | ast.FunctionDef | ast.AsyncFunctionDef:
    tree = tree_of(code.co_filename)
    if tree is None:
        raise UnreadableError(f"{code.co_filename} is not a readable source file")
    scope = tree if code.co_name == _MODULE else definition(tree, code)
    if scope is None:
        raise UnreadableError(
            f"the function {code.co_name} was not found in {code.co_filename}"
        )
    return scope


def _stretch(  # noqa: PLR0913 - what the two ways to find one have found
    scope: ast.AST,
    statements: Sequence[ast.stmt],
    call: ast.AST | None,
    code: CodeType,
    at: tuple[int, int],
    depth: int,
) -> Stretch:
    _refuse_unreadable(statements)
    names = [n for one in nodes_of(scope, ast.Global) for n in one.names]
    once = isinstance(call, ast.Call) and any(_is_once(s, call) for s in statements)
    return Stretch(
        code=code,
        begin=at[0],
        end=at[1],
        names=frozenset(_read_first(statements).difference(names)),
        statements=tuple(statements),
        depth=depth,
        call=call if once and isinstance(call, ast.Call) else None,
        written=tuple(dict.fromkeys(names)),
    )


def _refuse_unreadable(statements: Sequence[ast.stmt]) -> None:
    waits = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
    for node in chain.from_iterable(map(ast.walk, statements)):
        if isinstance(node, waits):
            raise UnreadableError(f"line {node.lineno} yields")
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            # Python spells it with the class's name, which a function of its own does not have
            name = f"the private name {node.attr}"
            raise UnreadableError(f"line {node.lineno} uses {name}")


def _is_once(node: ast.AST, call: ast.AST) -> bool:
    """Check whether a call is below a node, and in no loop or function of it."""
    if node is call:
        return True
    if isinstance(node, (*_LOOPS, *_SCOPES)):
        return False
    return any(_is_once(one, call) for one in ast.iter_child_nodes(node))


def _holds_node(tree: ast.AST, node: ast.AST | None) -> bool:
    return node is not None and any(one is node for one in ast.walk(tree))


def _from(body: Sequence[ast.stmt], call: ast.AST | None) -> list[ast.stmt]:
    """Return the statements of a block from the one that makes a call on."""
    at = next(i for i, one in enumerate(body) if _holds_node(one, call))
    return [*_entered(body[at], call), *body[at + 1 :]]


def _entered(statement: ast.stmt, call: ast.AST | None) -> list[ast.stmt]:
    """Return what remains of a statement when a call in it is made; a loop is kept whole."""
    blocks = _blocks(statement)
    held = [b for b in blocks if any(_holds_node(one, call) for one in b)]
    if isinstance(statement, (ast.If, ast.Match)) and held:
        return _from(held[0], call)
    if not held or held[0] is not blocks[0] or isinstance(statement, (*_LOOPS, *_SCOPES)):  # fmt: skip
        return [statement]
    entered = copy.copy(statement)
    entered.body = _from(held[0], call)  # type: ignore[attr-defined]
    return [entered]


def _block(
    body: Sequence[ast.stmt], first: int, last: int, depth: int = 0
) -> tuple[list[ast.stmt], int]:
    """Return the statements of the innermost block with both lines, from the one's to the other's.

    And how deep it is.
    """
    for one in body:
        if _holds(one, first) and _holds(one, last) and not isinstance(one, _SCOPES):
            inner = [_block(within, first, last, depth + 1) for within in _blocks(one)]
            return next(filter(itemgetter(0), inner), ([one], depth))
    within = [*dropwhile(lambda one: _end(one) < first, body)]
    within = [*takewhile(lambda one: one.lineno <= last, within)]
    whole = within and _holds(within[0], first) and _holds(within[-1], last)
    return (within if whole else []), depth


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    handlers = [one.body for one in getattr(statement, "handlers", [])]
    cases = [one.body for one in getattr(statement, "cases", [])]
    own = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    return [*own, *handlers, *cases]


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _holds(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= _end(statement)


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _read_first(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that are read before the statements surely set them."""
    read: set[str] = set()
    stored: set[str] = set()
    for one in statements:
        read |= set(_loaded(one)) - stored
        if isinstance(one, ast.Assign):
            targets = [node for target in one.targets for node in ast.walk(target)]
            stored |= {node.id for node in targets if _is_stored(node)}
    # `super()` finds its class in a cell of this name, which no parameter can be
    return {name for name in read if name.isidentifier()} - {"__class__"}


def _loaded(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement reads; `x += 1` reads `x`."""
    for node in ast.walk(statement):
        target = node.target if isinstance(node, ast.AugAssign) else node
        if isinstance(target, ast.Name) and (
            target is not node or not _is_stored(node)
        ):
            yield target.id


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
