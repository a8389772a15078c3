"""Find the lines that last set an operand's names: `x` in `model(x)`, set by `x = batch["image"]`.

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
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch.nn import Module, Parameter

from ...core.event import Location
from . import assignment_ast
from .contents import defined
from .executing_node import executed, tree_of
from .likeness import Likeness, SoughtOperand
from .module_members import tensors_of
from .origin import USER, Origin, kind_of, locate, program_frames
from .safe_lookup import value_of_chain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import CodeType, FrameType

    from .assignment_ast import Chain
    from .record import Record

_FRAMES = 6
_LINES = 3  # of one operand's, told
_OF_ARRAYS = frozenset(
    {"torch.from_numpy", "torch.as_tensor", "torch.asarray", "torch.tensor"}
)
_WRAPPERS = (staticmethod, classmethod, MethodType)


def held(
    frame: FrameType,
    operands: Sequence[tuple[str, torch.Tensor, Record]],
    *,
    devices: bool,
) -> tuple[tuple[str, Location], ...]:
    """Return for each named operand the operand's name, and the lines that set the program's names for it."""
    frames = program_frames(frame)[:_FRAMES]
    found = []
    for name, tensor, record in operands:
        lines = dict.fromkeys(
            _Search(
                frames, SoughtOperand(name, tensor, record, devices=devices)
            ).lines()
        )
        arrays = () if devices else _array(record.dtype_origin)
        found += [
            (name, line) for line in dict.fromkeys([*islice(lines, _LINES), *arrays])
        ]
    return tuple(found)


def switched_off(frame: FrameType, device: str) -> tuple[Location, ...]:
    """Return the regions of autocast around a call that are switched off, if none is on for its kind of device."""
    if device == "meta" or torch.is_autocast_enabled(device):
        return ()
    found = []
    for one in program_frames(frame)[:_FRAMES]:
        tree = tree_of(one.f_code.co_filename)
        regions = assignment_ast.autocasts(tree, one.f_lineno) if tree else ()
        found += [
            _location(one.f_code, region)
            for region, call in regions
            if _is_off(call, one)
        ]
    return tuple(found)


def _is_off(call: ast.Call, frame: FrameType) -> bool:
    """Check whether it says `enabled=…`, or is of an Accelerator without mixed precision, where it does nothing."""
    if any(keyword.arg == "enabled" for keyword in call.keywords):
        return True
    owner = assignment_ast.attributes(call.func)[:-1]
    return value_of_chain((*owner, "native_amp"), frame) is False


class _Place(NamedTuple):
    """A statement, in the frame that runs it."""

    frame: FrameType
    tree: ast.Module
    statement: ast.stmt

    def location(self) -> Location:
        return _location(self.frame.f_code, self.statement)


class _Sighting(NamedTuple):
    """The names on a frame's line that stand for the operand; `reads` if it reads any name at all."""

    place: _Place
    names: Sequence[Chain]
    reads: bool


class _Search:
    """The search for one operand's lines."""

    def __init__(self, frames: Sequence[FrameType], operand: SoughtOperand) -> None:
        self.frames, self.operand = frames, operand

    def lines(self) -> Iterator[Location]:
        """Yield the lines of the innermost frame that has any; of an object, also its own, after a module's parts."""
        of_parts: list[Location] = []
        for place, names, reads in self._sightings():
            told = next(
                filter(None, (list(self._set(place, name)) for name in names)), []
            )
            if any(self._is_part(place.frame, name) for name in names):
                of_parts += told
            elif told:
                yield from told
                if names[0][0] != "self":
                    break
            if reads and not names:  # it was made on this line
                yield from self._made(place)
                break
        yield from of_parts

    def _sightings(self) -> Iterator[_Sighting]:
        """Yield each frame's names, innermost first; once a name holds the operand, a mere likeness does not count."""
        least = Likeness.ALIKE
        for frame in self.frames:
            place = _place(frame)
            if place is None:
                return
            near = {
                name: self._likeness(name, frame)
                for name in assignment_ast.read(place.statement)
            }
            best = max(near.values(), default=Likeness.UNRELATED)
            names = [
                name for name, likeness in near.items() if likeness == best >= least
            ]
            if names and best > Likeness.ALIKE:
                least = Likeness.HOLDS
            yield _Sighting(place, names, bool(near))

    def _likeness(self, name: Chain, frame: FrameType) -> Likeness:
        return self.operand.likeness(value_of_chain(name, frame))

    def _is_part(self, frame: FrameType, chain: Chain) -> bool:
        """Check whether a name is a parameter, a buffer or a module of the module whose code runs."""
        owner, tensor = value_of_chain(chain[:1], frame), self.operand.tensor
        if chain[0] != "self" or not issubclass(type(owner), Module):
            return False
        return isinstance(tensor, Parameter) or any(
            buffer is tensor for buffer in tensors_of(owner, "_buffers")
        )

    def _set(self, place: _Place, name: Chain) -> Iterator[Location]:
        """Yield the line that set a name before a statement, and the lines that lead to it."""
        for _ in range(_LINES):
            setting = next(
                filter(None, (self._before(place, part) for part in _owners(name))),
                None,
            )
            if setting is None or setting is place.statement:
                return
            place = place._replace(statement=setting)
            yield place.location()
            function = _function(assignment_ast.results(setting), place.frame)
            yield from (
                _returned(function) if function is not None else self._made(place)
            )
            name = self._behind(place, name)
            if not name:
                return

    def _behind(self, place: _Place, name: Chain) -> Chain:
        """Return the name that a line computed its own from: the same one, or another that holds the operand."""
        read = list(assignment_ast.read(place.statement))
        if name in read:
            return name
        return next(
            (one for one in read if self._likeness(one, place.frame) > Likeness.ALIKE),
            (),
        )

    def _before(self, place: _Place, name: Chain) -> ast.stmt | None:
        """Return the last line before a statement that sets a name, else the last one in its loop.

        In a class, whose methods run in any order, and where a scope's own code is not at work, the last of all.
        """
        for number, scope in enumerate(
            assignment_ast.scopes(place.tree, place.statement, name)
        ):
            line = place.statement.lineno
            if number:
                line = self._reached(place.frame.f_code.co_filename, scope)
            found = [
                one
                for one in assignment_ast.stored(scope, name)
                if one is not place.statement
            ]
            if line and not isinstance(scope, ast.ClassDef):
                found = list(assignment_ast.run_by(line, scope, found))
            if found:
                return next(
                    (one for one in reversed(found) if one.lineno < line), found[-1]
                )
        return None

    def _reached(self, file: str, scope: ast.AST) -> int:
        """Return the line that an outer scope has come to; 0 where it is not at work."""
        name = getattr(scope, "name", "<module>")
        return next(
            (
                f.f_lineno
                for f in self.frames
                if (f.f_code.co_filename, f.f_code.co_name) == (file, name)
            ),
            0,
        )

    def _made(self, place: _Place) -> Iterator[Location]:
        """Yield the places where a function, called on a line, returns the operand."""
        running = {one.f_code for one in self.frames}
        for name in assignment_ast.called(place.statement):
            code = _function(name, place.frame)
            if (
                code is not None
                and code not in running
                and self.operand.made_within(code)
            ):
                yield from _returned(code)


def _place(frame: FrameType) -> _Place | None:
    statement, tree = executed(frame).statement, tree_of(frame.f_code.co_filename)
    if tree is not None and statement is not None:
        return _Place(frame, tree, statement)
    return None


def _array(origin: Origin | None) -> Iterator[Location]:
    """Yield, for a tensor with the dtype of an array, the line that set the array's name, by the source alone."""
    while origin is not None and origin.source is not None:
        origin = origin.source
    if origin is None or origin.op not in _OF_ARRAYS:
        return
    at = locate(origin.user)
    tree = tree_of(at.file) if at is not None else None
    if origin.user is not None and at is not None and tree is not None:
        lines = assignment_ast.given_to(tree, at.line, origin.op.rpartition(".")[2])
        yield from (_location(origin.user[0], line) for line in lines)


def _owners(name: Chain) -> Iterable[Chain]:
    """Return `pipe.unet` and then `pipe`, which may have been set as a whole."""
    return [name[:end] for end in range(len(name), 0, -1)]


def _function(name: Chain, frame: FrameType) -> CodeType | None:
    """Return the code of the Python function that a name in a frame calls, be it another's method or decorated."""
    value = value_of_chain(name, frame) if name else None
    if value is None and len(name) > 1:  # a static or a class method
        value = defined(type(value_of_chain(name[:-1], frame)), name[-1])
    while issubclass(type(value), _WRAPPERS):
        value = cast("MethodType", value).__func__
    while type(value) is FunctionType and "__wrapped__" in value.__dict__:
        value = value.__dict__["__wrapped__"]
    return value.__code__ if type(value) is FunctionType else None


def _returned(code: CodeType | None) -> Iterator[Location]:
    """Yield the places where a function of the user's returns, and, if that is a plain name, where it was set."""
    if code is not None and kind_of(code) == USER:
        for statement in assignment_ast.returned(code):
            yield _location(code, statement)
            for behind in assignment_ast.named(code, statement):
                yield _location(code, behind)


def _location(code: CodeType, statement: ast.stmt) -> Location:
    text = linecache.getline(code.co_filename, statement.lineno).strip()
    return Location(
        file=code.co_filename, line=statement.lineno, function=code.co_name, code=text
    )
