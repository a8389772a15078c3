"""The stretch of a program's source that computes a step's loss and gradients: from the model's call to `backward()`.

    for x, y in loader:                 # what is before the stretch is done: x, y and the weights are there
        x = augmented(x)
        out = model(x)                  # ┐
        loss = criterion(out, y)        # │ the stretch, in the innermost function that both calls are below
        (loss / 4).backward()           # ┘
        optimizer.step()

It is compiled as a function of the variables that it reads, so it can be run again with the same ones.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from ..provenance.executing_node import definition, executed_by, line_of, tree_of
from ..provenance.module_paths import let_go
from ..provenance.origin import TORCH, kind_of

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_MODULE = "<module>"
ARGUMENTS = "_the_models_arguments"
"""The variable that holds what the model was called with."""


class UnreadableError(Exception):
    """No such stretch can be run by itself; the message says why."""


@dataclass(slots=True, kw_only=True, eq=False)
class Stretch:
    """Where it is, which variables it reads, and what runs it."""

    code: CodeType
    begin: int
    """The instruction of `code` at which the model was called."""
    end: int
    names: frozenset[str]
    statements: tuple[ast.stmt, ...] = field(repr=False)
    depth: int
    """How many blocks are around it within its function."""
    call: ast.Call | None = None
    """The model's own call, where it is one of these lines."""

    def read(self, frame: FrameType) -> dict[str, Any]:
        """The variables as they are now."""
        variables = frame.f_locals
        found = {name: variables[name] for name in self.names if name in variables}
        if frame.f_code.co_name != _MODULE:
            del variables
            let_go([frame])
        return found

    def runner(
        self, variables: Mapping[str, Any], space: Mapping[str, Any]
    ) -> Callable[[], object]:
        """What runs it, with these variables, and the module's names as they are, which it cannot change."""
        name = self.code.co_name if self.code.co_name.isidentifier() else "main"
        made = ast.parse(f"def {name}({', '.join(variables)}):\n for _ in (0,): pass")
        # in a loop of one turn, for the program's loop is outside: `continue` and `break` end it
        made.body[0].body[0].body = self._called_with(ARGUMENTS in variables)  # type: ignore[attr-defined]
        names = dict(space)
        try:
            compiled = compile(made, self.code.co_filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise UnreadableError(f"the lines cannot stand alone: {error}") from error
        exec(compiled, names)  # noqa: S102 - the program's own lines
        run = names[name]
        # frames are to say what the program's own do
        run.__code__ = run.__code__.replace(co_name=self.code.co_name)
        return lambda: run(**variables)

    def _called_with(self, arguments: bool) -> list[ast.stmt]:
        """The statements; the model is given what it was given, not what its arguments' code would make now."""
        if self.call is None or not arguments:
            return list(self.statements)
        given = ast.parse(f"f(*{ARGUMENTS}[0], **{ARGUMENTS}[1])", mode="eval").body
        assert isinstance(given, ast.Call)
        again = ast.Call(func=self.call.func, args=given.args, keywords=given.keywords)
        ast.copy_location(again, self.call)
        for node in ast.walk(
            ast.Tuple(
                elts=[*given.args, *(k.value for k in given.keywords)], ctx=ast.Load()
            )
        ):
            ast.copy_location(node, self.call)
        memo: dict[int, Any] = {id(self.call): again}
        return [copy.deepcopy(one, memo) for one in self.statements]


def candidates(frame: FrameType | None, most: int = 24) -> list[FrameType]:
    """The program's and its libraries' frames, innermost first."""
    found: list[FrameType] = []
    while frame is not None and len(found) < most:
        if kind_of(frame.f_code) != TORCH:
            found.append(frame)
        frame = frame.f_back
    return found


def between(frame: FrameType, begin: int, *, direct: bool) -> Stretch:
    """The stretch from an instruction of a frame to the one that it is at now. Raises UnreadableError.

    `direct`: the instruction is the model's own call.
    """
    code = frame.f_code
    tree = tree_of(code.co_filename)
    if tree is None:
        raise UnreadableError(f"{code.co_filename} is no source that can be read")
    scope = tree if code.co_name == _MODULE else definition(tree, code)
    if scope is None:
        raise UnreadableError(
            f"the function {code.co_name} was not found in {code.co_filename}"
        )
    first, last = line_of(code, begin), line_of(code, frame.f_lasti)
    statements, depth = _block(scope.body, first, last)
    if not statements:
        raise UnreadableError(f"lines {first} to {last} are in no block")
    for one in statements:
        for node in ast.walk(one):
            if isinstance(
                node, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
            ):
                raise UnreadableError(f"line {node.lineno} yields")
            if isinstance(node, ast.Attribute) and _is_private(node.attr):
                # Python spells it with the class's name, which a function of its own does not have
                raise UnreadableError(f"line {node.lineno} has the private {node.attr}")
    return Stretch(
        code=code,
        begin=begin,
        end=frame.f_lasti,
        names=frozenset(_read_first(statements)),
        statements=tuple(statements),
        depth=depth,
        call=_call(frame, begin, statements) if direct else None,
    )


def _call(
    frame: FrameType, begin: int, statements: Sequence[ast.stmt]
) -> ast.Call | None:
    """The call that an instruction makes, if it is one of these statements' own, and runs once in them."""
    node = executed_by(frame, begin)
    first = statements[0]
    if not isinstance(node, ast.Call) or isinstance(first, (ast.For, ast.While)):
        return None
    return node if any(one is node for one in ast.walk(first)) else None


def _block(
    body: Sequence[ast.stmt], first: int, last: int, depth: int = 0
) -> tuple[list[ast.stmt], int]:
    """The statements of the innermost block with both lines, from the one's to the other's; and how deep it is."""
    for one in body:
        if _holds(one, first) and _holds(one, last) and not isinstance(one, _SCOPES):
            for inner in _blocks(one):
                found = _block(inner, first, last, depth + 1)
                if found[0]:
                    return found
            return [one], depth
    within = [one for one in body if _end(one) >= first and one.lineno <= last]
    whole = bool(within) and _holds(within[0], first) and _holds(within[-1], last)
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
    """The names that are read before the statements surely set them."""
    read: set[str] = set()
    stored: set[str] = set()
    for one in statements:
        names = [node for node in ast.walk(one) if isinstance(node, ast.Name)]
        loaded = {node.id for node in names if not isinstance(node.ctx, ast.Store)}
        if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            loaded.add(one.target.id)
        loaded |= {
            node.target.id
            for node in ast.walk(one)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        }
        read |= loaded - stored
        if isinstance(one, ast.Assign):
            stored |= {
                node.id
                for target in one.targets
                for node in ast.walk(target)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
    # `super()` finds its class in a cell of this name, which no parameter can be
    return {name for name in read if name.isidentifier()} - {"__class__"}
