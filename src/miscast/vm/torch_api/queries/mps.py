"""Apple's GPU: `torch.mps`, `torch.backends.mps`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from .answers import always, answers, nothing
from .mac import MACOS
from .streams import classes, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from ....running.process.patching import Patch
    from .state import State


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Patch the driver's answers, and those that torch would keep in caches beyond the machine's end."""
    yield from answers(
        torch._C,
        {
            "_has_mps": True,
            "_mps_is_available": always(True),
            "_mps_is_in_bad_fork": always(False),
        },
    )
    yield from answers(torch._C, _memory(machine, state))
    yield from answers(torch._C, _events())
    yield from answers(
        torch.backends.mps,
        {
            "is_available": always(True),
            "is_built": always(True),
            "is_macos_or_newer": lambda major, minor: (major, minor) <= MACOS,
            "is_macos13_or_newer": lambda minor=0: (13, minor) <= MACOS,
            "get_name": always(machine.title),
            "get_core_count": always(machine.processors),
        },
    )
    yield from named(classes("mps", state))
    yield from answers(
        torch.mps, {"_is_in_bad_fork": always(False), "device_count": always(1)}
    )


def _memory(machine: Machine, state: State) -> dict[str, Any]:
    return {
        "_mps_currentAllocatedMemory": lambda: state.allocated(0),
        "_mps_driverAllocatedMemory": lambda: state.reserved(0),
        # Metal's recommendedMaxWorkingSetSize is about two thirds of the machine's memory
        "_mps_recommendedMaxMemory": always(machine.memory * 2 // 3),
        "_mps_maxBufferLength": always(machine.memory // 2),
        "_mps_setMemoryFraction": nothing,
        "_mps_emptyCache": nothing,
        "_mps_deviceSynchronize": nothing,
        "_mps_profilerStartTrace": nothing,
        "_mps_profilerStopTrace": nothing,
        "_mps_is_on_macos_or_newer": lambda major, minor: (major, minor) <= MACOS,
        "_mps_get_name": always(machine.title),
        "_mps_get_core_count": always(machine.processors),
    }


def _events() -> dict[str, Any]:
    recorded: dict[int, float] = {}

    def acquire(_timed: bool) -> int:
        recorded[event := len(recorded) + 1] = 0.0
        return event

    def record(event: int) -> None:
        recorded[event] = time.perf_counter()

    def elapsed(start: int, end: int) -> float:
        return max((recorded[end] - recorded[start]) * 1000, 1e-3)

    return {
        "_mps_acquireEvent": acquire,
        "_mps_recordEvent": record,
        "_mps_elapsedTimeOfEvents": elapsed,
        "_mps_waitForEvent": nothing,
        "_mps_synchronizeEvent": nothing,
        "_mps_releaseEvent": nothing,
        "_mps_queryEvent": always(True),
    }
