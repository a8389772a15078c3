"""The other way of a branch, in a fork of the run: it waits where the branch was, and goes on when the run has ended.

A fork shares the memory of the run, and there is no data to copy. It runs one block, to that one's end, an error or
the end of its ops; what it shows is told through a file without a name, as a child of the program's would.
"""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import torch
from msgspec import convert

from ...core.event import (
    BUDGET_SPENT,
    INTERRUPTED,
    NO_BUDGET,
    NO_TIME,
    TIME_OVER,
    WAITED,
    Block,
    Call,
    Location,
    Scene,
    Trace,
)
from ...running.process.linux import die_with_parent
from ...running.workers.forks import silence
from ..collectives.world import Unmet
from ..streamed import Seen, kept_log, opened_log, read_log
from .garbage import Garbage
from .release import Place, Release, awaited, place, tell
from .room import ProcessTime, Room
from .running import Running
from .sides import Branch, Side
from .untraced import modules_untraced

if TYPE_CHECKING:
    from ..machine import VirtualMachine
    from .ways import Ways

# the system's: the program's are patched while it runs
_fork = getattr(os, "fork", None)
_exit, _kill, _wait = os._exit, os.kill, os.wait4
_NOTHING = "nothing to run"
_MOST, _MOST_QUIET = 64, 32
_DEEP = 3
_LOOK = 0.005  # seconds
_CLOCK = 20  # looks until the processor time is looked at
_PATIENCE = 3.0  # seconds for which a fork may wait for what does not come
_FORCED = frozenset({"counter", "value", "flag", "error"})
_NO_ROOM, _DIED = "too many pending branches", "its process died"
_ASKED = "other code reads it, too"
CAN_FORK = _fork is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parked:
    """A fork that waits: what is written to `go` lets it run, closing it ends it."""

    pid: int
    go: int
    log: int


class Forks:
    """The forks of a run, or of a fork."""

    def __init__(self, vm: VirtualMachine, ways: Ways) -> None:
        self._vm, self._ways = vm, ways
        self._owner = os.getpid()
        self._others: frozenset[Place] = frozenset()
        self._parked: dict[int, _Parked] = {}
        self._again: dict[int, _Parked] = {}
        self._in_vain: set[int] = set()  # which others may still have as not gone
        self._deep = 0
        self.garbage = Garbage()
        self._room = Room()
        self._interrupted = False
        self._seconds, self._until = math.inf, math.inf
        self.blocks: list[Block] = []
        self.refused: dict[int, str] = {}
        """Reasons for unexplored branches."""
        self._end: Callable[[str | None], NoReturn] | None = None

    def park(self, number: int, way: bool, frame: FrameType) -> bool:
        """Suspend a fork of the run here, to go the other way, if there is something on it."""
        branch = self._ways.branches[number]
        side = branch.sides[not way]
        if side is None or branch.kind not in _FORCED or self._deep >= _DEEP:
            return way
        if place(branch) in self._others or os.getpid() != self._owner:
            return way  # or it is a process that the program has forked
        if any(one in self._parked for one in self._ways.twins(number)):
            return way  # a fork that asks the same comes here, too
        if self._is_asked(number):
            self.refused[number] = _ASKED  # and will be: it would wait in vain
            return way
        if self._full(side):
            self.refused[number] = _NO_ROOM
            return way
        return self._fork(number, way, side, frame, self._parked)

    def park_again(self, number: int, way: bool, frame: FrameType) -> bool:
        """Return a second fork waits here, where dtypes are others than at the first, if there was one."""
        side = self._ways.branches[number].sides[not way]
        if side is None or number not in self._parked or number in self._again:
            return way
        if os.getpid() != self._owner or self._full(side):
            return way
        return self._fork(number, way, side, frame, self._again)

    def _waiting(self) -> tuple[_Parked, ...]:
        return (*self._parked.values(), *self._again.values())

    def _full(self, side: Side) -> bool:
        waiting = [one.pid for one in self._waiting()]
        most = _MOST_QUIET if side.quiet else _MOST
        return len(waiting) >= most or self._room.is_full(waiting)

    def _fork(
        self,
        number: int,
        way: bool,
        side: Side,
        frame: FrameType,
        waiting: dict[int, _Parked],
    ) -> bool:
        """Return the run's own way in the run; in a fork, once it is released, the other."""
        log = opened_log()
        wait, go = os.pipe()
        assert _fork is not None
        parent = os.getpid()
        self.garbage.spare()
        pid = _fork()
        if pid:
            os.close(wait)
            waiting[number] = _Parked(pid=pid, go=go, log=log)
            return way
        die_with_parent(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run knows what to do
        os.close(go)
        for other in self._waiting():
            os.close(other.go)
        release = awaited(wait)
        if release is None:
            _exit(0)
        self._parked, self._again, self.blocks, self.refused = {}, {}, [], {}
        self._room = Room()
        self._owner = os.getpid()
        self._others |= release.known
        side = self._ways.held(number, side, way=not way)
        self._seconds, self._until = release.seconds, release.until
        self._vm.recorder.last = self._vm.recorder.ops + release.ops
        self._begun(number, log, side, frame)
        return not way

    def drop(self, number: int) -> None:
        """End the fork of a branch that the run takes by itself; a process that the program forked is left alone."""
        if os.getpid() != self._owner:
            return
        for waiting in (self._parked, self._again):
            parked = waiting.pop(number, None)
            if parked is not None:
                os.close(parked.go)
                os.close(parked.log)
                _killed(parked.pid)
                self._room.again()

    def end(self) -> None:
        """End all waiting forks."""
        for number in (*self._parked, *self._again):
            self.drop(number)

    def _begun(self, number: int, log: int, side: Side, frame: FrameType) -> None:
        """Send what is seen in a fork to its log from now on, and print nothing."""
        self._deep += 1
        silence(1, 2)
        # OpenMP's threads did not come along: what is computed by several waits for them
        torch.set_num_threads(1)
        recorder = self._vm.recorder
        send = kept_log(recorder, log)
        self._ways.met[number] = {True, False}
        if self._vm.gathering is not None:
            self._vm.gathering.world = Unmet(self._vm.gathering.world)
        # what is imported here has numbers that may be another branch's in the run
        shared = len(self._ways.branches)

        def end(how: str | None) -> NoReturn:
            self._let_go()
            met = [
                (n, sorted(ways)) for n, ways in self._ways.met.items() if n < shared
            ]
            scenes = self._vm.scenes.all() if self._vm.scenes else ()
            send(
                {
                    "ended": how,
                    "left": recorder.last - recorder.ops,
                    "met": met,
                    "blocks": [*map(asdict, self.blocks)],
                    "scenes": [*map(asdict, scenes)],
                }
            )
            _exit(0)

        def over_budget() -> None:
            if os.getpid() == self._owner:
                end(BUDGET_SPENT)

        self._end = end
        recorder.past_last = over_budget
        if self._deep == 1:  # else the fork that this is one of did
            modules_untraced()
        whole = self._ways.branches[number].end
        running = Running(frame, side, self._vm, end, whole)

        def over(error: BaseException | None) -> None:
            # else it is the program's own fork that came to its end
            if os.getpid() == self._owner:
                running.over(error)

        self._vm.over = over
        running.watch()

    def in_vain(self) -> None:
        """End a fork without reporting it."""
        if self._end is not None:
            self._end(_NOTHING)

    def let_go(self, *, ops: int, seconds: float, until: float) -> None:
        """Let the waiting forks run, one after the other, the likeliest to matter first.

        Together they may run so many ops. So many `seconds` of processor time, and the clock, `until` which they may
        run, are for what takes long without ops.
        """
        self._vm.recorder.last = self._vm.recorder.ops + ops
        self._seconds, self._until = seconds, until
        self._let_go()

    def _let_go(self) -> None:
        while self._parked:
            number = min(self._parked, key=self._rank)
            parked = self._parked[number]
            why = self._why_not(number)
            if why:
                self.drop(number)
                self.refused[number] = why
            elif len(self._ways.met[number]) > 1:  # it was reached in the meantime
                self.drop(number)
            else:
                del self._parked[number]
                self._ran(number, parked)
        for number in tuple(self._again):
            if self._nothing_left():
                self.drop(number)
            else:
                self._heard(number, self._again.pop(number))
        self._vm.aside = ""

    def _rank(self, number: int) -> tuple[bool, int, int]:
        side = self._ways.other(number)
        if side is None:
            return False, 0, 0
        taken = not any(self._ways.met[number])
        order = self._ways.branches[number].order(taken=taken)
        return side.quiet, order, side.first - side.last

    def _is_asked(self, number: int) -> bool:
        """Check whether a setting decides more than this. Once it does, no further source changes that."""
        flag = self._ways.branches[number].kind == "flag"
        return flag and not self._ways.lonely(number)

    def _why_not(self, number: int) -> str:
        """Return why a block is not explored; "" if it is."""
        reached = len(self._ways.met[number]) > 1
        if not reached and self._is_asked(number):
            return _ASKED
        return self._nothing_left()

    def _nothing_left(self) -> str:
        """Return why nothing more may run; "" if it may."""
        if self._interrupted:
            return INTERRUPTED
        if time.monotonic() > self._until or self._seconds <= 0:
            return NO_TIME
        return NO_BUDGET if self._vm.recorder.ops >= self._vm.recorder.last else ""

    def _ran(self, number: int, parked: _Parked) -> None:
        block = self._ways.block(number)
        ended = self._heard(number, parked)
        if ended == _NOTHING:
            self._in_vain.add(number)
            del self._ways.met[number]
            return
        self.blocks.append(replace(block, forced=True, ended=ended))
        self._ways.met[number] = {True, False}

    def _heard(self, number: int, parked: _Parked) -> str | None:
        """Return a fork goes on, and what it has seen is joined. How it ended."""
        branch = self._ways.branches[number]
        self._vm.aside = f"explored at {os.path.basename(branch.file)}:{branch.line}"
        recorder = self._vm.recorder
        known = frozenset(place(self._ways.branches[one]) for one in self._ways.met)
        tell(
            parked.go,
            Release(
                ops=recorder.last - recorder.ops,
                seconds=self._seconds,
                until=self._until,
                known=known,
            ),
        )
        ended: str | None = self._over(parked.pid)
        left = recorder.last - recorder.ops
        seen = Seen(Trace(machine=self._vm.machine.spec, torch=""))
        for header in read_log(parked.log):
            if "met" in header:
                ended, left = header["ended"], header["left"]
                self.blocks += convert(header["blocks"], list[Block])
                if self._vm.scenes is not None:
                    self._vm.scenes.join(convert(header["scenes"], list[Scene]))
                for other, ways in header["met"]:
                    if other in self._in_vain:
                        continue
                    self._ways.met.setdefault(other, set()).update(ways)
            else:
                seen.take(header)
        if ended != _NOTHING:
            self._join(seen.trace(None), branch)
        recorder.last = recorder.ops + left
        return ended

    def _over(self, pid: int) -> str:
        """Wait for a process. Return how it ended, if it does not say so itself: in time, or by force."""
        clock, looks, why = ProcessTime(pid), 0, ""
        while not why:
            ended, _, usage = _wait(pid, os.WNOHANG)
            if ended:
                self._seconds -= usage.ru_utime + usage.ru_stime
                return _DIED
            time.sleep(_LOOK)
            looks += 1
            if self._interrupted:
                why = INTERRUPTED
            elif time.monotonic() > self._until:
                why = TIME_OVER
            elif looks % _CLOCK == 0:
                over = clock.used() > self._seconds
                why = TIME_OVER if over else WAITED if clock.idle() > _PATIENCE else ""
        self._seconds -= clock.used() + clock.idle()
        _killed(pid)
        return why

    def interrupt(self, *_: object) -> None:
        """Start no further fork, as the user does not want to wait. Used as a handler of signals."""
        self._interrupted = True

    def _join(self, trace: Trace, branch: Branch) -> None:
        """Add what a fork has seen to the run's results, unless the run saw it by itself."""
        at = Location(file=branch.file, line=branch.line, code=branch.text)
        known = set(map(_place, self._vm.recorder.calls()))
        new = (call for call in trace.calls if _place(call) not in known)
        calls = tuple(replace(call, forced=call.forced or at) for call in new)
        self._vm.recorder.join(replace(trace, calls=calls))


def _place(call: Call) -> tuple[object, ...]:
    return call.op, call.violation, call.location


def _killed(pid: int) -> None:
    # not by `workers.forks.killed`: of the program's signals the box tells
    with suppress(ProcessLookupError):
        _kill(pid, signal.SIGKILL)
    _wait(pid, 0)
