"""Intel's GPUs: `torch.xpu`, whose Python code is the running torch's; the answers stand below it, in `torch._C`.

Not here: graphs and memory pools, the hardware's counters (`torch.xpu.temperature`), Intel's extension
(`intel_extension_for_pytorch`), which programs no longer need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from . import device, memory, streams
from .answers import always, answers, nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from .state import State

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
    """Yield the driver's answers, streams and events."""
    made = streams.classes("xpu", state)
    yield from streams.named(made, torch.xpu, torch.xpu.streams)
    yield from answers(
        torch._C,
        device.driver("xpu", machine, state)
        | memory.driver("xpu", state)
        | streams.driver("xpu", machine, state)
        | _driver(machine, state),
    )
    yield from answers(torch.xpu, device.module(machine, state) | _module(machine))
    if hasattr(torch.distributed, "is_xccl_available"):
        yield Patch(torch.distributed, "is_xccl_available", always(True))


def _driver(machine: Machine, state: State) -> dict[str, Any]:
    return {
        "_xpu_getMemoryInfo": lambda index: memory.info(machine, state, index),
        "_xpu_memorySnapshot": lambda *_: {"segments": [], "device_traces": []},
        "_xpu_recordMemoryHistory": nothing,
    }


def _module(machine: Machine) -> dict[str, Any]:
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
        "_get_device_properties": lambda _index: described,
        "_XpuDeviceProperties": DeviceProperties,
        "is_available": always(True),
        "device_count": always(machine.count),
    }
