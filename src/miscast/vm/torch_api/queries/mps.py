"""Apple's GPU: `torch.mps`, `torch.backends.mps`; and a Mac, as programs ask for one beside it.

To the user's own lines `platform.system()` says Darwin. `sys.platform` stays what it is, and so does what libraries are
told by all but `platform.mac_ver()`: they choose files and calls of the system by it (soundfile its library by
`machine()`), which are those of the real one.
"""

from __future__ import annotations

import platform
import sys
import time
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...provenance.origin import USER, kind_of
from .answers import always, answers, nothing
from .streams import classes, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ....core.machines import Machine
    from .state import State


_MACOS = (15, 0)
_VERSION = ".".join(map(str, _MACOS))
_SAID = {
    "system": "Darwin", "machine": "arm64", "processor": "arm", "platform": f"macOS-{_VERSION}-arm64-arm-64bit",
}  # fmt: skip


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
            "is_macos_or_newer": lambda major, minor: (major, minor) <= _MACOS,
            "is_macos13_or_newer": lambda minor=0: (13, minor) <= _MACOS,
            "get_name": always(machine.title),
            "get_core_count": always(machine.processors),
        },
    )
    yield from answers(platform, {"mac_ver": always((_VERSION, ("", "", ""), "arm64"))})
    for name, said in _SAID.items():
        yield Patch(platform, name, _to_users(getattr(platform, name), said))
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
        "_mps_is_on_macos_or_newer": lambda major, minor: (major, minor) <= _MACOS,
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


def _to_users(original: Callable[..., str], said: str) -> Callable[..., str]:
    def answer(*args: Any, **kwargs: Any) -> str:
        if kind_of(sys._getframe(1).f_code) == USER:
            return said
        return original(*args, **kwargs)

    return answer
