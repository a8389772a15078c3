"""Where the program last set the names behind an operand: `x` in `model(x)`, set in the line `x = batch["image"]`.

A line that passes a tensor on gives it neither dtype nor device and leaves no event, though it may be the one that
lacks a `.to(device)`. At a broken contract the names on the failing line are looked up in its frame: those that stand
for the operand, or for what holds it (a batch, a model, a pipeline); of a parameter of the function, those on the line
that called it. Behind the line that set a name come the one that set it before, if it made one of the other
(`model = wrapped(model)`), and the one with which a function of the user's returned it; behind a module's, the one that
gave it the part that failed. Nothing of the program is run, and only finished findings pay.
"""

from __future__ import annotations

import ast
import linecache
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module, Parameter

from ..event import Location
from ..syntax import parsed_file
from . import assignment_ast
from .dtype_references import function, stored
from .origin import USER, Origin, kind_of, locate, program_frames
from .record import find, is_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import CodeType, FrameType

    from .assignment_ast import Chain
    from .record import Record

_FRAMES = 6
_LINES = 3  # of one operand's, told
_ITEMS = 64  # of a batch, looked at
_OF_ARRAYS = frozenset({"torch.from_numpy", "torch.as_tensor", "torch.asarray", "torch.tensor"})
_UNRELATED, _ALIKE, _HOLDS, _ITSELF = range(4)


def held(
    frame: FrameType, operands: Sequence[tuple[str, torch.Tensor, Record]], *, devices: bool
) -> tuple[tuple[str, Location], ...]:
    """For each operand that goes by a name: the operand's name, and the lines that set the program's names for it."""
    frames = program_frames(frame)[:_FRAMES]
    found = []
    for name, tensor, record in operands:
        lines = dict.fromkeys(_Story(frames, _Operand(name, tensor, record, devices=devices)).lines())
        arrays = () if devices else _array(record.dtype_origin)
        found += [(name, line) for line in dict.fromkeys([*islice(lines, _LINES), *arrays])]
    return tuple(found)


def switched_off(frame: FrameType, device: str) -> tuple[Location, ...]:
    """The regions of autocast around a call that are switched off, if none is on for its kind of device."""
    if device == "meta" or torch.is_autocast_enabled(device):
        return ()
    found = []
    for one in program_frames(frame)[:_FRAMES]:
        tree = parsed_file(one.f_code.co_filename)
        regions = assignment_ast.switched_off(tree, one.f_lineno) if tree else ()
        found += [_location(one.f_code, region) for region in regions]
    return tuple(found)


class _Operand:
    """What to look for in the frames."""

    def __init__(self, name: str, tensor: torch.Tensor, record: Record, *, devices: bool) -> None:
        self.name, self.tensor, self.record, self.devices = name, tensor, record, devices

    def likeness(self, value: Any) -> int:
        """How near a value of the program comes to the operand."""
        if isinstance(value, torch.Generator):
            return _ITSELF if self.name == "generator" else _UNRELATED
        if type(value).__module__ == "numpy":
            same = str(getattr(value, "dtype", "")) == str(self.tensor.dtype)[6:]
            return _HOLDS if same and not self.devices else _UNRELATED
        tensors = list(_tensors(value))
        if any(self._is(tensor) for tensor in tensors):
            return _ITSELF if is_tensor(value) else _HOLDS
        if isinstance(value, Module):
            tensors = [tensor for tensor in tensors if tensor.is_floating_point()][:1]
        elif not (is_tensor(value) or isinstance(value, (dict, list, tuple))):
            return _UNRELATED
        return _ALIKE if any(map(self._fits, tensors)) else _UNRELATED

    def _is(self, other: torch.Tensor) -> bool:
        return other is self.tensor or find(other) is self.record

    def _fits(self, other: torch.Tensor) -> bool:
        their = find(other)
        if their is None or isinstance(other, Parameter) != isinstance(self.tensor, Parameter):
            return False
        return their.device == self.record.device if self.devices else other.dtype == self.tensor.dtype

    def within(self, code: CodeType) -> bool:
        """Whether something in a function gave the operand its dtype or device."""
        origin = self.record.device_origin if self.devices else self.record.dtype_origin
        while origin is not None:
            if origin.user is not None and origin.user[0] is code:
                return True
            origin = origin.source
        return False


class _Story:
    """The search for one operand's lines."""

    def __init__(self, frames: Sequence[FrameType], operand: _Operand) -> None:
        self.frames, self.operand = frames, operand

    def lines(self) -> Iterator[Location]:
        """Those of the innermost frame that knows; of what an object holds also, of a module's parts first, its own."""
        parts: list[Location] = []
        least = _ALIKE
        for frame in self.frames:
            tree = parsed_file(frame.f_code.co_filename)
            statement = assignment_ast.statement_at(tree, frame.f_lineno) if tree else None
            if tree is None or statement is None:
                break
            near = {chain: self.operand.likeness(stored(frame, chain)) for chain in assignment_ast.read(statement)}
            best = max(near.values(), default=_UNRELATED)
            chains = [chain for chain, likeness in near.items() if likeness == best >= least]
            least = _HOLDS if chains and best > _ALIKE else least
            told = next(filter(None, (list(self._set(frame, tree, statement, chain)) for chain in chains)), [])
            if any(self._is_part(frame, chain) for chain in chains):
                parts += told
            elif told:
                yield from told
                if chains[0][0] != "self":
                    break
            if near and not chains:  # it was made on this line
                yield from self._made(frame, statement)
                break
        yield from parts

    def _is_part(self, frame: FrameType, chain: Chain) -> bool:
        """Whether a name is that of a parameter, a buffer or a module in the module whose code runs."""
        owner, tensor = stored(frame, chain[:1]), self.operand.tensor
        if chain[0] != "self" or not isinstance(owner, Module):
            return False
        return isinstance(tensor, Parameter) or any(buffer is tensor for buffer in owner.buffers())

    def _set(self, frame: FrameType, tree: ast.Module, statement: ast.stmt, chain: Chain) -> Iterator[Location]:
        """The line that set a name before a statement, and what lies behind it."""
        for _ in range(_LINES):
            found = next(filter(None, (self._before(frame, tree, statement, part) for part in _owners(chain))), None)
            if found is None or found is statement:
                return
            yield _location(frame.f_code, found)
            made = function(frame, assignment_ast.results(found))
            yield from _returned(made) if made is not None else self._made(frame, found)
            statement, chain = found, self._behind(frame, found, chain)
            if not chain:
                return

    def _behind(self, frame: FrameType, found: ast.stmt, chain: Chain) -> Chain:
        """The name that a line made its own of: the same one, or another that stands for the operand."""
        read = list(assignment_ast.read(found))
        if chain in read:
            return chain
        return next((one for one in read if self.operand.likeness(stored(frame, one)) > _ALIKE), ())

    def _before(self, frame: FrameType, tree: ast.Module, statement: ast.stmt, chain: Chain) -> ast.stmt | None:
        """The last line before a statement that sets a name, else the last one in a loop with it, which came round.

        In a class, whose methods run in any order, and where a scope's own code is not at work, the last of all.
        """
        for number, scope in enumerate(assignment_ast.scopes(tree, statement, chain)):
            found = [one for one in assignment_ast.stored(scope, chain) if one is not statement]
            line = statement.lineno if number == 0 else self._reached(frame.f_code.co_filename, scope)
            before = [one for one in found if one.lineno < line]
            if line and not isinstance(scope, ast.ClassDef):
                found = [one for one in found if one in before or assignment_ast.in_a_loop(scope, line, one)]
            if found:
                return (before or found)[-1]
        return None

    def _reached(self, file: str, scope: ast.AST) -> int:
        """The line that an outer scope has come to; 0 where it is not at work."""
        name = getattr(scope, "name", "<module>")
        return next((f.f_lineno for f in self.frames if (f.f_code.co_filename, f.f_code.co_name) == (file, name)), 0)

    def _made(self, frame: FrameType, statement: ast.stmt) -> Iterator[Location]:
        """Of an operand that a function on a line returns, where it does so."""
        running = {one.f_code for one in self.frames}
        for chain in assignment_ast.called(statement):
            code = function(frame, chain)
            if code is not None and code not in running and self.operand.within(code):
                yield from _returned(code)


def _array(origin: Origin | None) -> Iterator[Location]:
    """Of a tensor that took over the dtype of an array: the line that set the array's name, by the source alone."""
    while origin is not None and origin.source is not None:
        origin = origin.source
    if origin is None or origin.user is None or origin.op not in _OF_ARRAYS:
        return
    code, place = origin.user[0], locate(origin.user)
    tree = parsed_file(code.co_filename)
    statement = assignment_ast.statement_at(tree, place.line) if tree and place else None
    if tree is not None and statement is not None:
        for chain in assignment_ast.given(statement, origin.op.rpartition(".")[2]):
            scope = next(assignment_ast.scopes(tree, statement, chain))
            before = [one for one in assignment_ast.stored(scope, chain) if one.lineno < statement.lineno]
            yield from (_location(code, one) for one in before[-1:] if scope is not tree)


def _owners(chain: Chain) -> Iterable[Chain]:
    """`pipe.unet` and then `pipe`, which may have been set as a whole."""
    return [chain[:end] for end in range(len(chain), 0, -1)]


def _returned(code: CodeType | None) -> Iterator[Location]:
    """Where a function of the user's returns, and, if that is a mere name, where it was set."""
    if code is not None and kind_of(code) == USER:
        for statement in assignment_ast.returned(code):
            yield _location(code, statement)
            yield from (_location(code, behind) for behind in assignment_ast.named(code, statement))


def _location(code: CodeType, statement: ast.stmt) -> Location:
    text = linecache.getline(code.co_filename, statement.lineno).strip()
    return Location(file=code.co_filename, line=statement.lineno, function=code.co_name, code=text)


def _tensors(value: Any, depth: int = 2) -> Iterator[torch.Tensor]:
    """The tensors that a value is or plainly holds; of the program nothing runs."""
    kind = type(value)
    if is_tensor(value):
        yield value
    elif issubclass(kind, Module):
        yield from value.parameters()
        yield from value.buffers()
    elif depth and not issubclass(kind, type):
        for item in islice(_items(value), _ITEMS):
            yield from _tensors(item, depth - 1)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return dict.values(value)
    if isinstance(value, (list, tuple)):
        return value
    own = getattr(value, "__dict__", None)
    return list(own.values()) if type(own) is dict else ()
