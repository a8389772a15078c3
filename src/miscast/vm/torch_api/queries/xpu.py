"""Intel's GPUs: `torch.xpu`, whose Python code is the running torch's; the answers stand below it, in `torch._C`.

Not here: graphs and memory pools, the hardware's counters (`torch.xpu.temperature`), Intel's extension
(`intel_extension_for_pytorch`), which programs no longer need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ....process.patching import Patch
from .answers import always, answers, nothing
from .device import exchanges
from .memory import stats
from .streams import classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....machines import Machine
    from .state import State

_XPU = 12  # c10::DeviceType
_MOST = 1 << 10


@dataclass(frozen=True, kw_only=True)
class DeviceProperties:
    """One device, under the names of `torch._C._XpuDeviceProperties` (torch/csrc/xpu/Module.cpp)."""

    name: str
    total_memory: int
    max_compute_units: int
    gpu_eu_count: int
    gpu_subslice_count: int
    has_fp64: bool
    has_subgroup_matrix_multiply_accumulate_tensor_float32: bool
    has_bfloat16_conversions: bool
    platform_name: str = "Intel(R) oneAPI Unified Runtime over Level-Zero"
    vendor: str = "Intel(R) Corporation"
    type: str = "gpu"
    device_id: int = 0
    driver_version: str = "1.6.33578"
    version: str = "1.6"
    max_work_group_size: int = _MOST
    max_num_sub_groups: int = 64
    sub_group_sizes: tuple[int, ...] = (16, 32)
    local_mem_size: int = 128 << 10
    last_level_cache_size: int = 0
    memory_clock_rate: int = 0
    memory_bus_width: int = 64
    architecture: int = 0
    uuid: str = ""
    has_fp16: bool = True
    has_atomic64: bool = True
    has_subgroup_matrix_multiply_accumulate: bool = True
    has_subgroup_2d_block_io: bool = True
    is_integrated_gpu: bool = False


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """The driver's answers, streams and events."""
    made = classes("xpu", state)
    yield from answers(
        torch, {"Stream": made["torch.Stream"], "Event": made["torch.Event"]}
    )
    for owner in (torch.xpu, torch.xpu.streams):
        yield from answers(owner, {name: made[name] for name in ("Stream", "Event")})
    yield from answers(
        torch._C,
        _driver(machine, state) | _memory(machine, state) | _streams(machine, state),
    )
    yield from answers(torch.xpu, _module(machine, state))
    if hasattr(torch.distributed, "is_xccl_available"):
        yield Patch(torch.distributed, "is_xccl_available", always(True))


def _driver(machine: Machine, state: State) -> dict[str, Any]:
    exchange, choose = exchanges(machine, state)
    return {
        "_has_xpu": True,
        "_xpu_init": nothing,
        "_xpu_isInBadFork": always(False),
        "_xpu_getDeviceCount": always(machine.count),
        "_xpu_getDevice": lambda: state.current,
        "_xpu_setDevice": choose,
        "_xpu_exchangeDevice": exchange,
        "_xpu_maybeExchangeDevice": exchange,
        "_xpu_canDeviceAccessPeer": lambda device, peer: device != peer,
        "_xpu_getArchFlags": always(machine.arch),
        "_xpu_synchronize": nothing,
    }


def _memory(machine: Machine, state: State) -> dict[str, Any]:
    def choose(fraction: float, index: int) -> None:
        state.memory_fraction[index] = fraction

    return {
        "_xpu_memoryStats": lambda index: stats(state, index),
        "_xpu_resetPeakMemoryStats": state.forget,
        "_xpu_resetAccumulatedMemoryStats": nothing,
        "_xpu_getMemoryInfo": lambda index: (
            max(machine.memory - state.reserved(index), 0),
            machine.memory,
        ),
        "_xpu_getMemoryFraction": lambda index: state.memory_fraction.get(index, 1.0),
        "_xpu_setMemoryFraction": choose,
        "_xpu_memorySnapshot": lambda *_: {"segments": [], "device_traces": []},
        "_xpu_recordMemoryHistory": nothing,
        "_xpu_emptyCache": nothing,
    }


def _streams(machine: Machine, state: State) -> dict[str, Any]:
    def ids(index: int, stream_id: int | None = None) -> tuple[int, int, int]:
        index = state.current if index < 0 else index
        return (
            state.streams.get(index, 0) if stream_id is None else stream_id,
            index,
            _XPU,
        )

    def set_stream(*, stream_id: int, device_index: int, device_type: int) -> None:
        if device_type != _XPU or device_index >= machine.count:
            raise RuntimeError(
                f"stream of device {device_index}: the machine {machine.spec} has {machine.count}"
            )
        state.current, state.streams[device_index] = device_index, stream_id

    return {
        "_xpu_getCurrentStream": ids,
        "_xpu_getCurrentRawStream": lambda index: ids(index)[0],
        "_xpu_getStreamFromExternal": lambda pointer, index: ids(index, pointer),
        "_xpu_setStream": set_stream,
    }


def _module(machine: Machine, state: State) -> dict[str, Any]:
    exchange, _ = exchanges(machine, state)
    described = DeviceProperties(
        name=machine.title,
        total_memory=machine.memory,
        max_compute_units=machine.processors,
        gpu_eu_count=machine.processors,
        gpu_subslice_count=machine.processors // 8,
        has_fp64=machine.support("float64") == "native",
        has_subgroup_matrix_multiply_accumulate_tensor_float32=machine.support("tf32")
        == "native",
        has_bfloat16_conversions=machine.support("bfloat16") == "native",
    )
    return {
        "_initialized": True,
        "_is_in_bad_fork": always(False),
        "_cached_device_count": machine.count,
        "_exchange_device": exchange,
        "_maybe_exchange_device": exchange,
        "_get_device_properties": lambda _index: described,
        "_XpuDeviceProperties": DeviceProperties,
        "is_available": always(True),
        "device_count": always(machine.count),
    }
