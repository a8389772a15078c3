"""Collects what a run shows: broken contracts, chosen dtypes, what was assumed and what was not checked."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ...core.event import (
    Assumption,
    Block,
    Call,
    Effect,
    EffectKind,
    Event,
    Location,
    Memory,
    Trace,
    Violation,
    ViolationKind,
)
from ...core.failure import Failures
from ...torch_facts.contracts import table_for
from ..provenance.origin import Origin, Place, locate, places
from ..provenance.record import Record, find
from ..provenance.whose_failure import is_miscasts, where
from ..schema import TORCH_VERSION
from .broken_call import NOWHERE, broken_call, operand_of
from .caught_errors import prepared, raised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    from ...core.machines import Machine
    from ..streamed import Heard
    from .broken_call import Operands

_INDEX = re.compile(r"(?<=[a-z]):\d+(?=')")  # of a device, in the repr of its name


class Recorder:
    """The mutable half of a trace; `trace()` freezes it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.ops = 0
        self.last = sys.maxsize  # the op behind which `past_last` is called
        self.past_last: Callable[[], None] = lambda: None
        self.broken = 0  # calls so far that broke a contract
        self._calls: dict[tuple[object, ...], tuple[Call, list[int]]] = {}
        self._choices: dict[tuple[object, ...], Event] = {}
        self._assumed: dict[tuple[str, str, Place | None], int] = {}
        # lines that read a truth of which nothing around them says how it should come out
        self.undecided: dict[str, None] = {}
        self._unchecked: Counter[str] = Counter()
        self._notes: dict[str, None] = {}
        self._effects: dict[tuple[EffectKind, str, str, Place | None], int] = {}
        self._others: list[Trace] = []
        # composite ops at work, the one that the program called first
        self.opened: list[str] = []
        self.reach: tuple[Block, ...] = ()
        self.ended: str | None = None
        self.ending = ""  # the traceback of the exception that ended the program
        self.failures = Failures()
        self.heard: Heard | None = None  # told of what is new, at once
        # called in the middle of a call that is new
        self.watchers: list[Callable[[Call, Operands], None]] = []
        # called once it is told of
        self.listeners: list[Callable[[Call], None]] = []
        # called with those that another process met
        self.arrivals: list[Callable[[Call], None]] = []

    def call(
        self,
        op: str,
        violation: Violation,
        operands: Operands,
        *,
        hidden: bool = False,
        at: Place | None = None,
    ) -> None:
        """Record a call that broke a contract. Repetitions at the same place are only counted.

        It is told at the line of the program's that is at work, or at another one (`at`), whose mistake it is. Raises
        what torch would, and keeps nothing, where the program is prepared for it.
        """
        self.seen(op, violation, operands, hidden=hidden, at=at)()

    def refused(  # noqa: PLR0913 - what a violation has
        self,
        op: str,
        odd: str,
        operands: Mapping[str, torch.Tensor],
        expected: str,
        error: str,
        *,
        kind: ViolationKind = "dtype",
        like: str | None = None,
        raises: str = "RuntimeError",
    ) -> None:
        """Record a call that torch refuses for one of its operands, `odd`, as `call` does."""
        violation = Violation(
            kind=kind,
            odd=(odd,),
            expected=expected,
            like=like,
            error=error,
            raises=raises,
        )
        none = Record(None, None, None)
        named = [(name, one, find(one) or none) for name, one in operands.items()]
        self.call(op, violation, named)

    def seen(
        self,
        op: str,
        violation: Violation,
        operands: Operands,
        *,
        hidden: bool = False,
        at: Place | None = None,
    ) -> Callable[[], None]:
        """Capture such a call in its present state, and return a function that reports it."""
        self.broken += 1
        frame = sys._getframe(1)
        if violation.error:
            self._raise(frame, violation)
        op = self.opened[0] if self.opened else op
        user, library = places(frame) if at is None else (at, None)
        key = (op, violation, user, library, hidden)
        known = self._calls.get(key)
        if known is not None:
            return lambda: self._again(known[1])
        seen = replace(
            broken_call(frame, op, violation, operands, self.machine.device),
            hidden=hidden,
            lacking=(*self.machine.missing, *self.machine.emulated),
        )
        if at is not None:
            seen = replace(seen, location=locate(at) or seen.location, library=None)
        for watch in self.watchers:
            watch(seen, operands)

        def tell() -> None:
            known = self._calls.get(key)
            if known is not None:
                self._again(known[1])
                return
            self._calls[key] = (seen, [1])
            self._tell("call", seen)
            for listen in self.listeners:
                listen(seen)

        return tell

    @staticmethod
    def _again(count: list[int]) -> None:
        count[0] += 1

    def _raise(self, frame: FrameType, violation: Violation) -> None:
        error = raised(violation.raises, violation.error)
        if prepared(frame, error):
            at = locate(places(frame)[0])
            where = f"{os.path.basename(at.file)}:{at.line}: " if at is not None else ""
            self.note(
                f"{where}raised as in torch, because the program catches it: {_gist(violation)}"
            )
            raise error

    def last_words(
        self,
        op: str,
        violation: Violation,
        user: Place | None,
        library: Place | None,
        operands: Operands = (),
    ) -> None:
        """Record a call that ended the program from within torch, unless this line was already reported."""
        here = locate(user) or NOWHERE
        if here not in (
            replace(call.location, module=None) for call, _ in self._calls.values()
        ):
            seen = Call(
                op=op,
                phase="program",
                location=here,
                library=locate(library),
                operands=tuple(
                    operand_of(*one, violation.expected, here) for one in operands
                ),
                violation=violation,
            )
            self._calls[op, violation, user, library] = (seen, [1])
            self._tell("call", seen)

    def choice(self, origin: Origin) -> None:
        """Record an origin that chose a dtype which the machine lacks or emulates."""
        key = (origin.user, origin.library, origin.dtype)
        if key not in self._choices:
            self._choices[key] = origin.freeze()
            self._tell("choice", self._choices[key])

    def unchecked(self, op: str) -> None:
        """Record a call that no contract covers."""
        self._unchecked[op] += 1
        if self._unchecked[op] == 1:
            self._tell("unchecked", op)

    def assume(self, what: str, value: str) -> int:
        """Record a placeholder for a value that does not exist. Return how often it was used at this line before."""
        key = (what, value, places(sys._getframe(1))[0])
        before = self._assumed.get(key, 0)
        self._assumed[key] = before + 1
        if not before and self.heard is not None:
            self._tell(
                "assumed", Assumption(what=what, value=value, location=locate(key[2]))
            )
        return before

    def note(self, text: str) -> None:
        """Record a one-line note on something that the run could not check."""
        if text not in self._notes:
            self._notes[text] = None
            self._tell("note", text)

    def effect(self, kind: EffectKind, what: str, action: str = "") -> None:
        """Record an effect that the program would have had outside itself, at its current line."""
        key = (kind, what, action, places(sys._getframe(1))[0])
        self._effects[key] = self._effects.get(key, 0) + 1
        if self._effects[key] == 1 and self.heard is not None:
            self._tell(
                "effect",
                Effect(kind=kind, what=what, action=action, location=locate(key[3])),
            )

    def here(self) -> Location | None:
        """Return the user's line that the program is at."""
        return locate(places(sys._getframe(1))[0])

    def unread(self, path: str | os.PathLike[str]) -> None:
        """Record a file whose dtypes and shapes were read, but not its data."""
        self.note(f"{os.fspath(path)}: only dtypes and shapes were read, not the data")

    def join(self, other: Trace) -> None:
        """Add what another process of the program recorded: its calls and effects, and its number of ops.

        Workers of one kind differ in their device's index: what all of them do is one call.
        """
        self.ops += other.ops
        for call in other.calls:
            known = self._calls.setdefault(
                ("of a child", _INDEX.sub("", repr(call))), (call, [0])
            )
            known[1][0] += call.count
            self._tell("call", call)
            for arrived in self.arrivals:
                arrived(call)
        for choice in other.choices:
            if self._choices.setdefault(("of a child", choice), choice) is choice:
                self._tell("choice", choice)
        for op, count in other.unchecked.items():
            self._unchecked[op] += count
        for text in other.notes:
            self.note(text)
        kept = tuple(
            effect
            for effect in other.effects
            if effect.kind not in ("written", "deleted")
        )
        # of files the box tells itself
        self._others.append(replace(other, effects=kept))

    def begun(self) -> None:
        """Report the beginning of the run to `heard`."""
        self._tell(
            "begun",
            {"torch": str(torch.__version__), "contracts": _basis(self.machine)},
        )

    def _tell(self, kind: str, what: object) -> None:
        if self.heard is not None:
            self.heard(kind, what)

    def met(self, error: BaseException) -> None:
        """Record an exception that leaves Miscast into the program, which may swallow it, if it is Miscast's own."""
        if isinstance(error, Exception) and is_miscasts(error):
            at = where(error, sys._getframe(1))
            self.failures.note(
                error, f"the program was at {at}" if at else "the program ran"
            )

    def calls(self) -> tuple[Call, ...]:
        """Return the calls that broke a contract so far, in the order of their first occurrence."""
        return tuple(call for call, _ in self._calls.values())

    def trace(self, memory: tuple[Memory, ...] = ()) -> Trace:
        """Return all as plain data, with the devices' memory. What cannot be reported is left out, and is a failure."""
        contracts = ""
        assumed: tuple[Assumption, ...] = ()
        effects: tuple[Effect, ...] = ()
        calls = tuple(
            replace(call, count=count) for call, (count,) in self._calls.values()
        )
        with self.failures.during("it named the source of the dtype rules"):
            contracts = _basis(self.machine)
        with self.failures.during("it listed placeholder values"):
            assumed = tuple(
                Assumption(what=what, value=value, location=locate(place), count=count)
                for (what, value, place), count in self._assumed.items()
            )
        with self.failures.during("it listed effects"):
            effects = tuple(
                Effect(
                    kind=kind,
                    what=what,
                    action=action,
                    location=locate(place),
                    count=count,
                )
                for (kind, what, action, place), count in self._effects.items()
            )
        return Trace(
            machine=self.machine.spec,
            torch=str(torch.__version__),
            calls=calls,
            choices=tuple(self._choices.values()),
            contracts=contracts,
            unchecked=dict(sorted(self._unchecked.items())),
            assumed=(
                *assumed,
                *(one for other in self._others for one in other.assumed),
            ),
            undecided=tuple(self.undecided),
            notes=tuple(self._notes),
            ended=self.ended,
            failed=self.failures.line,
            traceback=self.ending + self.failures.traceback,
            ops=self.ops,
            memory=memory,
            reach=self.reach,
            effects=(
                *effects,
                *(one for other in self._others for one in other.effects),
            ),
        )


def _gist(violation: Violation) -> str:
    """Return an error's first line; of memory no amounts, which differ each time that a smaller batch is tried."""
    first = violation.error.splitlines()[0]
    return first.partition(". ")[0] if violation.kind == "memory" else first


def _basis(machine: Machine) -> str:
    """Return what the verdicts on a machine rest on."""
    table = table_for(machine.device, TORCH_VERSION, machine.arch)
    return f"measured on {table}" if table else "declared"
