"""`torch.accelerator`, which speaks of the machine's devices whatever their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from .answers import always, answers, nothing
from .device import exchanges
from .memory import info, stats
from .streams import classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from .state import State


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Patch the C functions of `torch.accelerator` and `torch.get_device_module()`."""
    yield from answers(torch._C, _driver(machine, state))
    if hasattr(torch, "accelerator") and hasattr(
        torch.accelerator, "get_device_capability"
    ):
        # torch remembers the answer in a cache that would outlive the machine
        yield Patch(
            torch.accelerator,
            "get_device_capability",
            lambda _device=None, /: _capability(machine),
        )


def _driver(machine: Machine, state: State) -> dict[str, Any]:
    exchange, choose = exchanges(machine, state)
    streams = classes(machine.device, state)["Stream"]

    def stream(index: int) -> Any:
        return streams(stream_id=state.streams.get(index, 0), device_index=index)

    return {
        "_get_accelerator": always(torch.device(machine.device)),
        "_accelerator_getAccelerator": always(torch.device(machine.device)),
        "_accelerator_getDeviceIndex": lambda: state.current,
        "_accelerator_setDeviceIndex": choose,
        "_accelerator_exchangeDevice": exchange,
        "_accelerator_maybeExchangeDevice": exchange,
        "_accelerator_hooks_device_count": always(machine.count),
        "_accelerator_hooks_get_current_device": lambda: state.current,
        "_accelerator_hooks_set_current_device": choose,
        "_accelerator_hooks_exchange_device": exchange,
        "_accelerator_hooks_maybe_exchange_device": exchange,
        "_accelerator_getStream": stream,
        "_accelerator_setStream": lambda stream: stream.__enter__() and None,
        "_accelerator_synchronizeDevice": nothing,
        "_accelerator_isAllocatorInitialized": always(True),
        "_accelerator_emptyCache": nothing,
        "_accelerator_emptyHostCache": nothing,
        "_accelerator_getMemoryInfo": lambda index: info(machine, state, index),
        "_accelerator_getDeviceStats": lambda index: stats(state, index),
        "_accelerator_resetAccumulatedStats": nothing,
        "_accelerator_resetPeakStats": state.reset_peak,
        "_accelerator_getDeviceCapability": lambda _index: _capability(machine),
        "_accelerator_setAllocatorSettings": nothing,
    }


def _capability(machine: Machine) -> dict[str, set[torch.dtype]]:
    every = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return {
        "supported_dtypes": {
            dtype for dtype in every if machine.support(str(dtype)[6:]) != "missing"
        }
    }
