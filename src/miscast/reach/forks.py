"""The other way of a branch, in a fork of the run: it waits where the branch was, and goes on when the run has ended.

A fork shares the memory of the run, and there is no data to copy. It runs one block, to that one's end, an error or
the end of its time; what it shows is told through a file without a name, as a child of the program's would.
"""

from __future__ import annotations

import dis
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import convert

from ..event import Block, Call, Location, Scene, Trace
from ..failure import spelled
from ..provenance.origin import USER, kind_of
from ..provenance.whose_failure import is_miscasts
from ..vm import fork_log
from ..vm.judging import op_errors
from ..vm.streamed import Seen
from ..workers.forks import silence
from .sides import Branch, Side

if TYPE_CHECKING:
    from ..vm.machine import VirtualMachine
    from .ways import Ways

# the system's: the program's are patched while it runs
_fork = getattr(os, "fork", None)
_exit, _kill, _wait, _read = os._exit, os.kill, os.waitpid, os.read
_NOTHING = "nothing was there"
_MOST = 64
_DEEP = 3
_LOOK = 0.005
_FORCED = frozenset({"counter", "value", "flag", "error"})
_NO_ROOM, _NO_TIME = "too many others waited", "there was no time left"
CAN_FORK = _fork is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parked:
    """A fork that waits: writing to `go` lets it run until the time written, closing it ends it."""

    pid: int
    go: int
    log: int


class Forks:
    """Of one run, or of a fork of it."""

    def __init__(self, vm: VirtualMachine, ways: Ways) -> None:
        """None waits."""
        self._vm, self._ways = vm, ways
        self._parked: dict[int, _Parked] = {}
        self._deep = 0
        self.blocks: list[Block] = []
        self.refused: dict[int, str] = {}
        """Why branches were not forced."""
        self._end: Callable[[str | None], NoReturn] | None = None

    def park(self, number: int, way: bool, frame: FrameType) -> bool:
        """A fork of the run waits here, to go the other way, if there is something."""
        branch = self._ways.branches[number]
        side = branch.sides[not way]
        if side is None or branch.kind not in _FORCED or self._deep >= _DEEP:
            return way
        if len(self._parked) >= _MOST:
            self.refused[number] = _NO_ROOM
            return way
        log = fork_log.opened()
        wait, go = os.pipe()
        assert _fork is not None
        pid = _fork()
        if pid:
            os.close(wait)
            self._parked[number] = _Parked(pid=pid, go=go, log=log)
            return way
        os.close(go)
        for other in self._parked.values():
            os.close(other.go)
        until = _read(wait, 32)
        if not until:
            _exit(0)
        self._parked, self.blocks, self.refused = {}, [], {}
        self._begun(number, log, float(until), side, frame)
        return not way

    def drop(self, number: int) -> None:
        """The run goes that way by itself."""
        parked = self._parked.pop(number, None)
        if parked is not None:
            os.close(parked.go)
            os.close(parked.log)
            _killed(parked.pid)

    def end(self) -> None:
        """None waits any more."""
        for number in tuple(self._parked):
            self.drop(number)

    def _begun(
        self, number: int, log: int, until: float, side: Side, frame: FrameType
    ) -> None:
        """In a fork: from here on what is seen goes into its log, and what is printed nowhere."""
        self._deep += 1
        silence(1, 2)
        send = fork_log.kept(self._vm.recorder, log)
        self._ways.met[number] = {True, False}
        # what is imported here has numbers that may be another branch's in the run
        shared = len(self._ways.branches)

        def end(how: str | None) -> NoReturn:
            self.let_go(until)
            met = [
                (n, sorted(ways)) for n, ways in self._ways.met.items() if n < shared
            ]
            scenes = self._vm.scenes.all() if self._vm.scenes else ()
            send(
                {
                    "ended": how,
                    "met": met,
                    "blocks": [*map(asdict, self.blocks)],
                    "scenes": [*map(asdict, scenes)],
                }
            )
            _exit(0)

        self._end = end
        _Running(frame, side, self._vm, end).watch()

    def in_vain(self) -> None:
        """In a fork: it ends, and is not told of."""
        if self._end is not None:
            self._end(_NOTHING)

    def let_go(self, until: float) -> None:
        """Those that wait run, one after the other: what is likeliest to matter first, until that time."""
        while self._parked:
            number = min(self._parked, key=self._rank)
            parked = self._parked[number]
            why = self._why_not(number)
            if not why and time.monotonic() > until:
                why = _NO_TIME
            if why:
                self.drop(number)
                self.refused[number] = why
            elif len(self._ways.met[number]) > 1:  # it was reached in the meantime
                self.drop(number)
            else:
                del self._parked[number]
                self._ran(number, parked, until)
        self._vm.aside = ""

    def _rank(self, number: int) -> tuple[int, int]:
        side = self._ways.other(number)
        if side is None:
            return 0, 0
        taken = not any(self._ways.met[number])
        return self._ways.branches[number].order(taken=taken), side.first - side.last

    def _why_not(self, number: int) -> str:
        """Why a block is not forced; "" if it is."""
        flag = self._ways.branches[number].kind == "flag"
        reached = len(self._ways.met[number]) > 1
        if flag and not reached and not self._ways.lonely(number):
            return "its names decide more than this"
        return ""

    def _ran(self, number: int, parked: _Parked, until: float) -> None:
        branch = self._ways.branches[number]
        self._vm.aside = f"forced at {os.path.basename(branch.file)}:{branch.line}"
        os.write(parked.go, repr(until).encode())
        os.close(parked.go)
        in_time = _over(parked.pid, until)
        ended: str | None = "its process died" if in_time else "its time was over"
        block = self._ways.block(number)
        seen = Seen(Trace(machine=self._vm.machine.spec, torch=""))
        for header in fork_log.read(parked.log):
            if "met" in header:
                ended = header["ended"]
                self.blocks += convert(header["blocks"], list[Block])
                if self._vm.scenes is not None:
                    self._vm.scenes.join(convert(header["scenes"], list[Scene]))
                for other, ways in header["met"]:
                    self._ways.met.setdefault(other, set()).update(ways)
            else:
                seen.take(header)
        if ended == _NOTHING:
            del self._ways.met[number]
            return
        self.blocks.append(replace(block, forced=True, ended=ended))
        self._ways.met[number] = {True, False}
        self._join(seen.trace(None), branch)

    def _join(self, trace: Trace, branch: Branch) -> None:
        """What a fork has seen becomes part of what the run saw, if that did not see it by itself."""
        at = Location(file=branch.file, line=branch.line, code=branch.text)
        known = set(map(_place, self._vm.recorder.calls()))
        new = (call for call in trace.calls if _place(call) not in known)
        calls = tuple(replace(call, forced=call.forced or at) for call in new)
        self._vm.recorder.join(replace(trace, calls=calls))


def _place(call: Call) -> tuple[object, ...]:
    return call.op, call.violation, call.location


def _over(pid: int, until: float) -> bool:
    """Whether a process ends in time; it is ended if not."""
    while time.monotonic() < until:
        if _wait(pid, os.WNOHANG)[0]:
            return True
        time.sleep(_LOOK)
    _killed(pid)
    return False


def _killed(pid: int) -> None:
    # not by `workers.forks.killed`: of the program's signals the box tells
    with suppress(ProcessLookupError):
        _kill(pid, signal.SIGKILL)
    _wait(pid, 0)


class _Running:
    """One block, watched line by line in the frame that it is in: it ends where the frame goes elsewhere.

    Where it sets what is looked at behind it, the function goes on to its end, or to the next pass of the loop; and if
    it returns something, or an attribute was set, so does the one that called it.
    """

    def __init__(
        self,
        frame: FrameType,
        side: Side,
        vm: VirtualMachine,
        end: Callable[[str | None], NoReturn],
    ) -> None:
        self._frame, self._side, self._vm, self._end = frame, side, vm, end
        self._error: BaseException | None = None
        self._behind = False
        self._from = side.last
        self._entered = side.lead == side.first  # a part of a line is on it

    def watch(self) -> None:
        """From now on."""
        sys.settrace(lambda *_: None)
        self._frame.f_trace = self._event

    def _event(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception":
            # a loop's end is none
            self._error = None if issubclass(arg[0], StopIteration) else arg[1]
        elif event == "line" and (
            self._is_there(frame) or self._goes_on(frame.f_lineno)
        ):
            self._error = None
        elif event == "return" and not _yields(frame) and self._goes_up(frame, arg):
            return None
        elif event == "line" or not _yields(frame):
            sys.settrace(None)
            self._ended()
        return self._event

    def _is_there(self, frame: FrameType) -> bool:
        """In the block, or on the way to it."""
        side, line = self._side, frame.f_lineno
        if frame is not self._frame or self._behind:
            return False
        self._entered |= side.first <= line <= side.last
        return (side.first if self._entered else side.lead) <= line <= side.last

    def _goes_on(self, line: int) -> bool:
        """Behind the block, without an error in it."""
        side = self._side
        if not (side.matters and self._entered) or (
            self._error is not None and not self._behind
        ):
            return False
        self._behind = True
        return line > self._from

    def _goes_up(self, frame: FrameType, returned: object) -> bool:
        """Whether it goes on in the program's function that called this one."""
        side, caller = self._side, frame.f_back
        while caller is not None and kind_of(caller.f_code) != USER:
            caller = caller.f_back
        kept = side.outlives or (side.matters and returned is not None)
        outside = caller is None or frame.f_code.co_name == "<module>"
        if outside or not (kept and self._entered) or self._error is not None:
            return False
        assert caller is not None
        self._behind, self._from = True, caller.f_lineno
        caller.f_trace = self._event
        return True

    def _ended(self) -> NoReturn:
        error = self._error
        if error is None and not self._entered:
            self._end("another way that was taken")
        if error is None or isinstance(error, (SystemExit, KeyboardInterrupt)):
            self._end(None)
        with self._vm.recorder.failures.during("it told how a block ended"):
            if not is_miscasts(error):
                op_errors.ending(self._vm.recorder, error)
        self._end(None if self._behind else spelled(error))


def _yields(frame: FrameType) -> bool:
    return (
        frame.f_lasti >= 0
        and dis.opname[frame.f_code.co_code[frame.f_lasti]] == "YIELD_VALUE"
    )
