"""Watch a trial's run, which ends at the first unexpected call, or after its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from ...core.event import Call, Trace
from ...report.judged import judged
from ...vm.scenes import Sampled, Scenes
from .expected import Met, is_expected
from .job import Job

if TYPE_CHECKING:
    from ...vm.judging.recorder import Recorder
    from ...vm.machine import VirtualMachine


class Watched:
    """One run, of one process or of several that are begun one after the other."""

    def __init__(
        self,
        job: Job,
        request: dict[str, Any],
        end: Callable[[dict[str, Any]], NoReturn],
    ) -> None:
        """Take a trial's `request` (`trials.Trial`); `end` sends what was seen, and ends the run."""
        self._job, self._request, self._end = job, request, end
        self._owner = os.getpid()
        self._scenes: list[Scenes] = []
        self._sampled: list[Sampled] = []
        self._met: list[Met] = []

    def begin(self, vm: VirtualMachine) -> None:
        """Watch the machine's calls from now on."""
        # the first to see a call: it may be the last that there is
        self._scenes.append(Scenes(vm))
        if self._request.get("place") is not None:
            self._sampled.append(Sampled(vm, self._request["place"]))
        vm.recorder.listeners.append(self._tell)
        vm.recorder.arrivals.append(self._tell)
        if self._request.get("until") is not None:
            vm.recorder.last = self._request["until"]
            vm.recorder.past_last = partial(self._passed, vm.recorder)

    def shown(self) -> dict[str, Any]:
        """Return scenes and numbers in the form of an answer."""
        numbers = [item for one in self._sampled for item in one.found.items()]
        return {
            "scenes": [asdict(scene) for one in self._scenes for scene in one.all()],
            "numbers": {name: [*map(asdict, some)] for name, some in numbers},
            "met": self._met,
        }

    def _tell(self, call: Call) -> None:
        # what a fork of the run meets, it hands over
        if (call.hidden and not self._job.strict) or os.getpid() != self._owner:
            return
        about = "device" if call.violation.kind == "device" else "dtype"
        here = call.location
        self._met.append((call.op, about, here.file, here.line))
        if is_expected(self._met[-1], self._request.get("expected")):
            return
        met = self._judged(Trace(machine=self._job.machine, torch="", calls=(call,)))
        self._end({"report": met, "stopped": True, **self.shown()})

    def _passed(self, recorder: Recorder) -> None:
        if os.getpid() != self._owner:
            return
        calls, ops = recorder.calls(), recorder.ops
        met = self._judged(
            Trace(machine=self._job.machine, torch="", calls=calls, ops=ops)
        )
        self._end({"report": met, "passed": True, **self.shown()})

    def _judged(self, trace: Trace) -> str:
        return judged(trace, strict=self._job.strict, advice=False).to_json()
