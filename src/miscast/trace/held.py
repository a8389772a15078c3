"""Where the program last set the name behind an operand: `x` in `model(x)`, set in the line `x = batch["image"]`.

A line that passes a tensor on gives it neither dtype nor device and leaves no event, though it may be the one that
lacks a `.to(device)`. At a broken contract the names on the failing line are looked up in its frame; of a parameter of
the function, those on the line that called it. Nothing of the program is run, and only finished findings pay.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING

from torch.nn import Parameter

from ..event import Location
from .origin import program_frames
from .record import find
from .taken import attributes, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    import torch

    from .record import Record

    Fits = Callable[[torch.Tensor], bool]

_FRAMES = 6
_HEADS = (((ast.For, ast.AsyncFor), "iter"), ((ast.While, ast.If), "test"), ((ast.Match,), "subject"))


def held(
    frame: FrameType, operands: Sequence[tuple[str, torch.Tensor, Record]], *, devices: bool
) -> tuple[tuple[str, Location], ...]:
    """For each operand that goes by a name: the operand's name, and the line that set the program's name for it."""
    frames = program_frames(frame)[:_FRAMES]
    found = []
    for name, tensor, record in operands:

        def fits(other: torch.Tensor, like: torch.Tensor = tensor, own: Record = record) -> bool:
            their = find(other)
            if their is None or isinstance(other, Parameter) != isinstance(like, Parameter):
                return False
            return their.device == own.device if devices else other.dtype == like.dtype

        place = _set_at(frames, tensor, fits)
        if place is not None:
            found.append((name, place))
    return tuple(found)


def _set_at(frames: Sequence[FrameType], operand: torch.Tensor, fits: Fits) -> Location | None:
    """The innermost line that set the name; of a module's part (`self.conv`) rather the one that set the module's."""
    for frame in frames:
        tree = _parsed(frame.f_code.co_filename)
        statement = _statement(tree, frame.f_lineno) if tree else None
        if tree is None or statement is None:
            return None
        values = [(chain, resolve(frame, chain)) for chain in _read(statement)]
        chains = [chain for chain, value in values if value is operand]
        chains = chains or [chain for chain, value in values if value is not None and fits(value)]
        for chain in chains:
            line = _assigned(_around(tree, statement, chain), chain, statement)
            if line is not None and not _is_part(chain, operand):
                code = linecache.getline(frame.f_code.co_filename, line).strip()
                return Location(file=frame.f_code.co_filename, line=line, function=frame.f_code.co_name, code=code)
        if values and not chains:
            return None  # the operand was made on this line
    return None


def _is_part(chain: tuple[str, ...], operand: torch.Tensor) -> bool:
    return chain[0] == "self" and isinstance(operand, Parameter)


def _parsed(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    """The innermost statement at a line."""
    at = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return max(at, key=lambda n: (n.lineno, -(n.end_lineno or 0)), default=None)


def _read(statement: ast.stmt) -> Iterator[tuple[str, ...]]:
    """The names, with their attributes, that a statement reads: of one with a block, its head."""
    nodes = (node for head in _heads(statement) for node in ast.walk(head))
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            chain = attributes(node)
            if chain:
                yield chain


def _heads(statement: ast.stmt) -> Sequence[ast.AST]:
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in statement.items]
    for kinds, head in _HEADS:
        if isinstance(statement, kinds):
            return [getattr(statement, head)]
    return [statement]


def _around(tree: ast.Module, statement: ast.stmt, chain: tuple[str, ...]) -> ast.AST:
    """Where a name is set: the function around the statement; of `self.x` the class."""
    kinds = ast.ClassDef if len(chain) > 1 else (ast.FunctionDef, ast.AsyncFunctionDef)
    last = statement.end_lineno or statement.lineno
    around = [
        n for n in ast.walk(tree)
        if isinstance(n, kinds) and n.lineno <= statement.lineno and last <= (n.end_lineno or 0)
    ]  # fmt: skip
    return max(around, key=lambda n: n.lineno, default=tree)


def _assigned(scope: ast.AST, chain: tuple[str, ...], statement: ast.stmt) -> int | None:
    """The last line before the statement that sets a name, else the last one in its scope, as loops come round."""
    lines = [
        node.lineno
        for node in ast.walk(scope)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store) and attributes(node) == chain
    ]
    before = [line for line in lines if line < statement.lineno]
    after = [line for line in lines if line > (statement.end_lineno or 0)]
    return max(before or after, default=None)
