"""The CUDA devices and the current one.

The answers stand one layer below `torch.cuda`, where its Python code asks the driver: `torch._C._cuda_*`. So
`is_bf16_supported`, `get_device_capability`, `set_device` and the like are the running torch's own rules. Beside it are
the two C libraries that programs reach through torch.cuda: the CUDA runtime and NVTX.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ....running.torch_abi import LazySeedTracker
from .answers import always, answers, nothing
from .memory import info
from .properties import DeviceProperties, properties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ....core.machines import Machine
    from .state import State


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Yield the driver's answers."""
    yield from answers(torch._C, driver("cuda", machine, state) | _cuda_driver(state))
    yield from answers(
        torch.cuda, module(machine, state) | _cuda_module(machine, state)
    )
    yield Patch(torch.cuda.nvtx, "_nvtx", _Nvtx())


def index_of(device: Any, state: State) -> int:
    """Return the index that a device, its name, an int or None means; without one, or below 0, the current device's."""
    index: int | None = (
        device
        if device is None or isinstance(device, int)
        else torch.device(device).index
    )
    return state.current if index is None or index < 0 else index


def exchanges(
    machine: Machine, state: State
) -> tuple[Callable[[int], int], Callable[[int], None]]:
    """Switch the current device: (exchange, which says the device before; set). A negative index changes nothing."""

    def exchange(index: int) -> int:
        before = state.current
        if index < 0:
            return -1
        if index >= machine.count:
            # torch 2.8 named it
            raise getattr(torch, "AcceleratorError", RuntimeError)(
                "CUDA error: invalid device ordinal\n"
                f"device {index} was requested; machine {machine.spec} has {machine.count}"
            )
        state.current = index
        state.initialize()
        return before

    def choose(index: int) -> None:
        exchange(index)

    return exchange, choose


def driver(kind: str, machine: Machine, state: State) -> dict[str, Any]:
    """Return what the drivers of all GPUs say of their devices."""
    exchange, choose = exchanges(machine, state)
    return {
        f"_has_{kind}": True, f"_{kind}_init": nothing, f"_{kind}_isInBadFork": always(False),
        f"_{kind}_getDeviceCount": always(machine.count), f"_{kind}_getDevice": lambda: state.current,
        f"_{kind}_setDevice": choose, f"_{kind}_exchangeDevice": exchange, f"_{kind}_maybeExchangeDevice": exchange,
        f"_{kind}_canDeviceAccessPeer": lambda device, peer: device != peer,
        f"_{kind}_getArchFlags": always(machine.arch), f"_{kind}_synchronize": nothing,
    }  # fmt: skip


def module(machine: Machine, state: State) -> dict[str, Any]:
    """Return what the Python module above such a driver says of them."""
    exchange, _ = exchanges(machine, state)
    return {
        "_is_in_bad_fork": always(False),
        "_cached_device_count": machine.count,
        "_exchange_device": exchange,
        "_maybe_exchange_device": exchange,
    }


def _cuda_driver(state: State) -> dict[str, Any]:
    def set_sync_debug_mode(mode: int) -> None:
        state.sync_debug_mode = mode

    return {
        "_has_cudnn": True, "_cuda_hasPrimaryContext": always(True), "_cuda_getCompiledVersion": always(12_080),
        "_cuda_ipc_collect": nothing, "_cuda_sleep": nothing, "_cuda_lock_mutex": nothing,
        "_cuda_unlock_mutex": nothing, "_cuda_clearCublasWorkspaces": nothing,
        "_cuda_getCurrentBlasHandle": always(0), "_cuda_getCurrentSolverHandle": always(0),
        "_cuda_set_sync_debug_mode": set_sync_debug_mode,
        "_cuda_get_sync_debug_mode": lambda: state.sync_debug_mode, "_is_flash_attention_available": always(True),
    }  # fmt: skip


def _begin() -> None:
    """Make `torch.cuda.is_initialized()` true, and run the calls that waited for it: seeds that were set before."""
    torch.cuda._initialized = True
    waiting = [
        *torch.cuda._queued_calls,
        *filter(None, torch.cuda._lazy_seed_tracker.get_calls()),
    ]
    torch.cuda._queued_calls.clear()
    for work, _ in waiting:
        work()


def _cuda_module(machine: Machine, state: State) -> dict[str, Any]:
    described = properties(machine)
    state.begun = _begin
    return {
        "_initialized": False,
        "_lazy_init": state.initialize,
        "_queued_calls": [],
        "_lazy_seed_tracker": LazySeedTracker(),
        "_get_device_properties": lambda index: described[index],
        "_CudaDeviceProperties": DeviceProperties,
        "_cudart": _Runtime(machine, state),
        # asked by is_bf16_supported, which remembers the answer in a cache that would outlive the machine
        "_check_bf16_tensor_supported": always(
            machine.support("bfloat16") != "missing"
        ),
        "_parse_visible_devices": lambda: list(range(machine.count)),
        "_device_count_nvml": always(machine.count),
        "_device_count_amdsmi": always(machine.count),
        "_raw_device_count_nvml": always(machine.count),
        "_raw_device_count_amdsmi": always(machine.count),
        "device_memory_used": lambda device=None: state.reserved(
            index_of(device, state)
        ),
        "memory_usage": always(0),
        "utilization": always(0),
        "temperature": always(30),
        "power_draw": always(0),
        "clock_rate": always(0),
    }


class _Error(int):
    """`cudaError`: every call succeeds."""

    success = 0


class _Runtime:
    """`torch.cuda.cudart()`: it knows the memory; everything else (registering, profiling) succeeds at once."""

    cudaError = _Error  # noqa: N815 - the runtime's name

    def __init__(self, machine: Machine, state: State) -> None:
        """Start the runtime of one machine."""
        self.cudaMemGetInfo = partial(info, machine, state)

    def cudaGetErrorString(self, error: int) -> str:  # noqa: N802 - the runtime's name
        """Return no error ever comes from here."""
        return f"no error ({int(error)})"

    def __getattr__(self, name: str) -> Any:
        """Return a function that returns 0, for any other function of the runtime."""
        if not name.startswith("cuda"):
            raise AttributeError(name)
        return lambda *_: 0


class _Nvtx:
    """`torch._C._nvtx`: nobody profiles, so ranges only count how deep they are."""

    def __init__(self) -> None:
        self._depth = 0

    def rangePushA(self, _message: str) -> int:  # noqa: N802 - NVTX's name
        """Return the depth of the range that starts."""
        self._depth += 1
        return self._depth - 1

    def rangePop(self) -> int:  # noqa: N802 - NVTX's name
        """Return the depth of the range that ends."""
        self._depth -= 1
        return self._depth

    rangeStartA = deviceRangeStart = always(1)  # noqa: N815 - NVTX's names; a handle
    rangeEnd = markA = deviceRangeEnd = nothing  # noqa: N815 - NVTX's names
