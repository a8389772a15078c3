"""Keeps what the current step needs to be run again: where it began, its variables, its generators. Nothing is copied.

A step has a stretch for each time that a model is called and `backward()` follows: several, where gradients accumulate.
Which function of the program both calls are below is found out once; from then on a stretch costs a look at the stack.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, NamedTuple

import torch

from ..core.failure import is_ours
from ..vm.provenance.module_members import submodules
from ..vm.provenance.module_paths import let_go
from ..vm.provenance.origin import TORCH, kind_of
from .budget import Budget
from .door import Arguments
from .moment import Buffers, Moment, taken
from .replay import Taken
from .stretch import (
    ARGUMENTS,
    Standing,
    Stretch,
    UnreadableError,
    between,
    rest,
    runner,
)

_MOST = 64
_CALLING = (
    os.path.join("torch", "nn", "modules", "module.py"),
    os.path.join("torch", "_dynamo", "eval_frame.py"),
)
_DEEP = 32
_NO_BEGINNING = "no step starts with this call"


class _Frame(NamedTuple):
    """A frame as it was when the model was called below it."""

    frame: FrameType
    begin: int
    """The instruction that it was at."""
    variables: Mapping[str, Any]


@dataclass(slots=True, kw_only=True, eq=False)
class _Open:
    """A stretch that has begun."""

    moment: Moment
    run: Callable[[], object] | None = None
    frame: int = 0
    chain: list[Standing] = field(default_factory=list)
    """The stretch, and what is left of each function below it, down to the one that calls the model."""
    frames: dict[int, _Frame] = field(default_factory=dict)
    """Frames of a stretch that never ran before: possible stretch, instruction and variables."""
    later: list[_Open] = field(default_factory=list)
    """Calls after this one, before any backward pass: one of them can be where the step begins."""
    arguments: Arguments | None = None
    losses: list[torch.Tensor] = field(default_factory=list)
    refused: str = ""


class Recorder:
    """The stretches of the current step."""

    def __init__(self, budget: Budget) -> None:
        self.buffers = Buffers()
        self._budget = budget
        self._generators: list[torch.Generator] = []
        self._known: dict[tuple[int, int], Stretch | str] = {}
        self._rests: dict[tuple[int, int], Stretch | None] = {}
        self._stretches: list[_Open] = []
        self._dropped = 0
        self.seen = False
        """True once the backward pass of a guarded model's call was seen."""

    def adopt(self, model: torch.nn.Module) -> None:
        """Add a model's buffers and generators to what a step restores."""
        self.buffers.add(model)
        self._generators += [
            value
            for _, one in submodules(model)
            for value in vars(one).values()
            if isinstance(value, torch.Generator)
        ]

    def forward(
        self, frame: FrameType | None, arguments: Arguments | None = None
    ) -> None:
        """Start a segment at a model's call, if the last segment has had its backward pass.

        As long as it is not known whether that call leads to a backward pass, a later one can be the beginning, too.
        """
        last = next(reversed(self._stretches), None)
        waiting = None if last is None or last.losses else last
        if waiting and (waiting.chain or waiting.run):
            return
        opened = _Open(moment=self._moment(), arguments=arguments)
        self._place(opened, _stack(_caller(frame)))
        if opened.refused == _NO_BEGINNING:
            return
        if waiting and opened.frames:
            waiting.later[_MOST:] = []
            waiting.later.append(opened)
        else:
            if waiting:
                self._stretches.pop()
            self._add(opened)

    def _place(self, opened: _Open, stack: Sequence[FrameType]) -> None:
        """Note the frame that a segment begins in, or why none can; if none is known, all that it can be."""
        for depth, here in enumerate(stack, 1):
            known = self._known.get((id(here.f_code), here.f_lasti))
            if isinstance(known, str):
                opened.refused = known
                return
            if known is not None:
                opened.frame = id(here)
                below = [_Frame(f, f.f_lasti, f.f_locals) for f in stack[:depth]]
                opened.chain = self._chain(known, below, opened.arguments)
                del below
                let_go(stack[:depth])
                return
        opened.frames = {
            id(one): _Frame(one, one.f_lasti, dict(one.f_locals))
            for one in stack[:_DEEP]
        }
        let_go(one.frame for one in opened.frames.values())

    def given(self, run: Callable[[], object]) -> None:
        """Start a segment that `run` executes."""
        self._add(_Open(moment=self._moment(), run=run))

    def backward(self, losses: Sequence[torch.Tensor], frame: FrameType | None) -> bool:
        """Return the backward pass of what was computed since; whether a guarded model was called."""
        if not self._stretches:
            return False
        self.seen = True
        opened = self._stretches[-1]
        opened.losses.append(losses[0].detach())
        if opened.run is None and not opened.refused:
            try:
                self._end(opened, frame)
            except UnreadableError as error:
                opened.refused = str(error)
        opened.frames = {}
        return True

    def taken(self) -> list[Taken]:
        """Return the stretches, each ready to be run again. Raises UnreadableError where one cannot be."""
        if not any(one.losses for one in self._stretches):
            raise UnreadableError(
                "no call of a guarded model was seen before backward()"
            )
        if self._dropped:
            raise UnreadableError(f"the step has more than {_MOST} backward passes")
        found = []
        for one in self._stretches:
            if not one.losses:
                continue
            if one.refused:
                raise UnreadableError(one.refused)
            run = one.run
            if run is None:
                run = runner(one.chain)
            found.append(
                Taken(
                    moment=one.moment,
                    run=run,
                    variables=[standing.variables for standing in one.chain],
                    spaces=[standing.space for standing in one.chain],
                    losses=one.losses,
                )
            )
        return found

    def forget(self) -> None:
        """Drop the segments after the step, whose weights have changed."""
        self._stretches = []
        self._dropped = 0

    def _add(self, opened: _Open) -> None:
        if len(self._stretches) >= _MOST:
            self._dropped += 1
            self._stretches.pop(0)
        self._stretches.append(opened)

    def _moment(self) -> Moment:
        """Return the state in which a segment begins; the first of a step keeps the buffers, too."""
        if not self._stretches and self._budget.affords("buffers"):
            with self._budget.spending("buffers"):
                self.buffers.keep()
        if not self._budget.affords("generators"):
            return taken(self._generators, whole=False)
        with self._budget.spending("generators"):
            return taken(self._generators, whole=True)

    def _chain(
        self, stretch: Stretch, frames: Sequence[_Frame], arguments: Arguments | None
    ) -> list[Standing]:
        """Return a segment and the remainders of functions below it; `frames` runs from the model's caller outward."""
        *below, first = frames
        chain = [_standing(stretch, first)]
        for one in reversed(below):
            left = self._rest(one) if chain[-1].stretch.call is not None else None
            if left is None:  # it is called as it is written
                return chain
            chain.append(_standing(left, one))
        if chain[-1].stretch.call is not None and arguments is not None:
            chain[-1].variables[ARGUMENTS] = arguments
        return chain

    def _rest(self, one: _Frame) -> Stretch | None:
        key = (id(one.frame.f_code), one.begin)
        if key not in self._rests:
            try:
                self._rests[key] = rest(one.frame, one.begin)
            except UnreadableError:
                self._rests[key] = None
        return self._rests[key]

    def _end(self, opened: _Open, frame: FrameType | None) -> None:
        if not opened.chain:
            self._met(opened, frame)
            return
        here = _frame(frame, lambda one: id(one) == opened.frame)
        stretch = opened.chain[0].stretch
        key = (id(stretch.code), stretch.begin)
        if here is None or here.f_code is not stretch.code:
            del self._known[key]
            raise UnreadableError("its code returned before backward() was called")
        if here.f_lasti == stretch.end:
            return
        longer = between(here, stretch.begin)
        missing = longer.names - stretch.names
        longer.names |= stretch.names
        self._known[key] = longer
        opened.chain[0] = replace(opened.chain[0], stretch=longer)
        if missing & here.f_locals.keys():
            raise UnreadableError("backward() was called from a new line")

    def _met(self, opened: _Open, frame: FrameType | None) -> None:
        """Find, the first time, the innermost frame that calls both a model and `backward()`.

        Of several calls the first one in the innermost block: a call before the training's loop, as that of an
        evaluation with gradients on, is no step's beginning.
        """
        found: list[tuple[_Open, FrameType, Stretch]] = []
        refused = "no function calls both the model and backward()"
        for one in (opened, *opened.later):
            here = _frame(
                frame,
                lambda f, one=one: id(f) in one.frames and kind_of(f.f_code) != TORCH,  # type: ignore[misc]
            )
            if here is None:
                continue
            begin = one.frames[id(here)].begin
            try:
                found.append((one, here, between(here, begin)))
            except UnreadableError as error:
                refused = str(error)
                self._known[id(here.f_code), begin] = refused
        if not found:
            raise UnreadableError(refused)
        one, here, stretch = max(found, key=lambda f: (len(_stack(f[1])), f[2].depth))
        for _, there, other in found[: found.index((one, here, stretch))]:
            self._known[id(there.f_code), other.begin] = _NO_BEGINNING
        self._known[id(here.f_code), stretch.begin] = stretch
        opened.frame, opened.moment = id(here), one.moment
        below = list(one.frames.values())[: list(one.frames).index(id(here)) + 1]
        opened.chain = self._chain(stretch, below, one.arguments)
        opened.later = []


def _standing(stretch: Stretch, one: _Frame) -> Standing:
    held = {n: one.variables[n] for n in stretch.names if n in one.variables}
    return Standing(stretch=stretch, variables=held, space=one.frame.f_globals)


def _caller(frame: FrameType | None) -> FrameType | None:
    """Return the first frame outside torch's code that leads to a module's forward."""
    while frame is not None and (
        frame.f_code.co_filename.endswith(_CALLING) or is_ours(frame.f_code.co_filename)
    ):
        frame = frame.f_back
    return frame


def _stack(frame: FrameType | None) -> list[FrameType]:
    """Return a frame and its callers, innermost first."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


def _frame(
    frame: FrameType | None, wanted: Callable[[FrameType], bool]
) -> FrameType | None:
    while frame is not None and not wanted(frame):
        frame = frame.f_back
    return frame
