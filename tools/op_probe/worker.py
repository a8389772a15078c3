"""A process that probes, one of a `WorkerPool`; these are its jobs.

    {"do": "survey", "unit": "nn.functional.linear"}
    {"do": "measure", "unit": "nn.functional.linear", "kinds": [[op, operands, signature, base, program, ordinal], …]}

It says {"at": "aten.linear", …} before each sample of an op, so that the last one is known if the process dies there.
"""

from __future__ import annotations

import json
import logging
import platform
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import torch

from miscast.running.workers.lines import send

from . import units
from .call import Call
from .measure import Measurement
from .outcome import Caller
from .watch import Watcher, copied

Place = tuple[str, int, int]
Kind = tuple[str, tuple[str, ...], str]
"""The place of a call: base dtype, number of the program, number among its calls of this kind."""
SAMPLES = 3
"""The most calls of a kind, with varied dimensions and settings if possible: first, last, one between."""


class Worker:
    """Surveys units (which kinds of calls they make) and measures kinds."""

    def __init__(self, device: str, sources: list[str], answers: int) -> None:
        """Load the units. It answers to a descriptor."""
        self.device, self.answers = device, answers
        self.units = units.find(sources)
        self.watcher = Watcher()

    def say(self, **answer: Any) -> None:
        """Send one line."""
        send(self.answers, answer)

    def head(self) -> dict[str, Any]:
        """Return the table's first line."""
        name, arch = platform.processor() or platform.machine(), platform.machine()
        if self.device == "cpu":
            name = _processor() or name
        elif self.device == "cuda":
            name = torch.cuda.get_device_name()
            capability = torch.cuda.get_device_capability()
            arch = "sm_{}{}".format(*capability)
        elif self.device == "xpu":
            name = torch.xpu.get_device_name()
        return {
            "device": self.device,
            "name": name,
            "arch": arch,
            "torch": torch.__version__,
        }

    def survey(self, unit: str) -> None:
        """Survey all kinds of calls that a unit makes, each with the places of its samples."""
        found: dict[Kind, dict[Any, Place]] = {}

        def collect(call: Call, kind: Kind, place: Place) -> None:
            sample = (call.dims(), call.settings())
            found.setdefault(kind, {}).setdefault(sample, place)

        for base, number, program in self._programs(unit):
            self._run(program, base, number, collect)
        places = {
            kind: _spread(list(samples.values())) for kind, samples in found.items()
        }
        self.say(kinds=[[*kind, *one] for kind, some in places.items() for one in some])

    def measure(self, unit: str, kinds: list[Any]) -> None:
        """Measure these kinds, op by op."""
        wanted = {
            (op, tuple(names), sig, base, number, i)
            for op, names, sig, base, number, i in kinds
        }
        runs = {(base, number) for *_, base, number, _ in wanted}
        calls: dict[tuple[str, tuple[str, ...]], list[Call]] = {}

        def collect(call: Call, kind: Kind, place: Place) -> None:
            if (*kind, *place) in wanted:
                calls.setdefault(kind[:2], []).append(copied(call))

        for base, number, program in self._programs(unit):
            if (base, number) in runs:
                self._run(program, base, number, collect)
        for (op, operands), samples in calls.items():
            caller = Caller(self.device)
            measurement = Measurement(caller)
            for call in samples:
                self.say(at=op, operands=operands)  # also a sign of life
                torch.manual_seed(0)
                measurement.sample(call)
            self.say(
                op=op,
                operands=operands,
                calls=caller.count,
                answers=list(measurement.answers),
            )

    def _run(
        self,
        program: units.Program,
        base: str,
        number: int,
        collect: Callable[[Call, Kind, Place], None],
    ) -> None:
        """Run one program: `collect` gets each call with its kind and its place."""
        counts: Counter[Kind] = Counter()

        def each(call: Call) -> None:
            kind = (call.form.name, call.operands, call.signature())
            collect(call, kind, (base, number, counts[kind]))
            counts[kind] += 1

        self.watcher.run(program, each)

    def _programs(self, unit: str) -> Iterator[tuple[str, int, units.Program]]:
        """Yield all programs of a unit, in all base dtypes. Seeded so that skipping earlier ones changes nothing."""
        for base in units.BASES:
            number = -1
            try:
                _seed(number)
                for number, program in enumerate(
                    self.units[unit].programs(self.device, getattr(torch, base))
                ):
                    yield base, number, program
                    _seed(number)
            except Exception:  # noqa: BLE001, S112 - a unit that does not know the base has no more programs in it
                continue

    def serve(self, requests: TextIO) -> None:
        """Serve requests until there are no more."""
        self.say(ready={"head": self.head(), "units": list(self.units)})
        for line in requests:
            request = json.loads(line)
            self.say(at=None)
            if request["do"] == "survey":
                self.survey(request["unit"])
            else:
                self.measure(request["unit"], request["kinds"])
            self.say(done=request["unit"])


def _spread(places: list[Place]) -> list[Place]:
    last = len(places) - 1
    return [
        places[i] for i in sorted({last * n // (SAMPLES - 1) for n in range(SAMPLES)})
    ]


def _seed(number: int) -> None:
    torch.manual_seed(number + 1)
    random.seed(number + 1)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number + 1)


def _available(device: str) -> bool:
    if device == "mps":
        return torch.backends.mps.is_available()
    return device == "cpu" or bool(getattr(torch, device).is_available())


def _processor() -> str | None:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
            return None
    except OSError:
        return None


def main(answers: int, device: str, sources: list[str]) -> None:
    """Serve until stdin ends; `sources` are the modules that have the units."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    if _available(device):
        Worker(device, sources, answers).serve(sys.stdin)
    else:
        send(answers, {"error": f"torch {torch.__version__} finds no {device} device"})
