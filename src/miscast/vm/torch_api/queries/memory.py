"""The memory of the virtual devices, and the part that tensors hold."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from .answers import always, answers, nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from .state import State


def stats(state: State, index: int) -> dict[str, Any]:
    """Return `torch.cuda.memory_stats`, nested; only the bytes are known, counts of blocks and segments are 0."""
    held, peak = state.allocated(index), state.peak(index)
    reserved, most = state.reserved(index), max(state.reserved(index), peak)
    known = {
        "allocated_bytes": (held, peak),
        "active_bytes": (held, peak),
        "requested_bytes": (held, peak),
        "reserved_bytes": (reserved, most),
    }
    counted = (
        *known, "allocation", "allocated", "active", "segment", "inactive_split", "inactive_split_bytes",
    )  # fmt: skip
    nested: dict[str, Any] = {
        name: _pools(*known.get(name, (0, 0))) for name in counted
    }
    nested |= {
        name: _metrics(0, 0) for name in ("oversize_allocations", "oversize_segments")
    }
    nested |= dict.fromkeys(
        (
            "num_alloc_retries",
            "num_ooms",
            "num_sync_all_streams",
            "num_device_alloc",
            "num_device_free",
            "max_split_size",
        ),
        0,
    )
    return nested


def info(machine: Machine, state: State, index: int) -> tuple[int, int]:
    """Return the free bytes of a device, and its total bytes."""
    return max(machine.memory - state.reserved(index), 0), machine.memory


def _pools(current: int, peak: int) -> dict[str, dict[str, int]]:
    full, empty = _metrics(current, peak), _metrics(0, 0)
    return {"all": full, "large_pool": full, "small_pool": empty}


def _metrics(current: int, peak: int) -> dict[str, int]:
    return {
        "current": current,
        "peak": peak,
        "allocated": peak,
        "freed": peak - current,
    }


class MemPool:
    """`torch.cuda.MemPool`: a name without memory."""

    def __init__(self, allocator: object = None, *_: Any, **__: Any) -> None:
        self.allocator = allocator
        self.id = (0, id(self))

    use_count, snapshot = always(1), always([])


@contextmanager
def use_mem_pool(_pool: object, _device: object = None) -> Iterator[None]:
    """Keep allocations without a pool within the block, as they have no place."""
    yield


def driver(kind: str, state: State) -> dict[str, Any]:
    """Return what the drivers of all GPUs say of memory."""

    def choose(fraction: float, index: int) -> None:
        state.memory_fraction[index] = fraction

    return {
        f"_{kind}_memoryStats": lambda index: stats(state, index),
        f"_{kind}_resetPeakMemoryStats": state.reset_peak,
        f"_{kind}_resetAccumulatedMemoryStats": nothing,
        f"_{kind}_emptyCache": nothing,
        f"_{kind}_setMemoryFraction": choose,
        f"_{kind}_getMemoryFraction": lambda index: state.memory_fraction.get(
            index, 1.0
        ),
    }


_IGNORED = (
    "resetPeakHostMemoryStats", "resetAccumulatedHostMemoryStats", "record_memory_history",
    "record_memory_history_legacy", "setMemoryMetadata", "setAllocatorSettings",
    "cudaCachingAllocator_set_allocator_settings", "cudaCachingAllocator_raw_delete", "cudaCachingAllocator_enable",
    "allocationTraceback", "changeCurrentAllocator", "getAllocator", "customAllocator", "beginAllocateToPool",
    "beginAllocateCurrentThreadToPool", "endAllocateToPool", "releasePool",
)  # fmt: skip


def _allocator() -> dict[str, Any]:
    return {
        **{f"_cuda_{name}": nothing for name in _IGNORED},
        "_host_emptyCache": nothing,
        "_cuda_hostMemoryStats": dict,
        "_cuda_memorySnapshot": lambda *_: {
            "segments": [],
            "device_traces": [],
            "allocator_settings": {},
        },
        "_cuda_isHistoryEnabled": always(False),
        "_cuda_getMemoryMetadata": always(""),
        "_cuda_getAllocatorBackend": always("native"),
        "_cuda_cudaCachingAllocator_raw_alloc": always(0),
        "_cuda_cudaCachingAllocator_is_enabled": always(True),
    }


def patches(_machine: Machine, state: State) -> Iterator[Patch]:
    """Yield the allocator's answers."""
    yield from answers(torch._C, driver("cuda", state) | _allocator())
    for owner in (torch.cuda, torch.cuda.memory):
        yield Patch(owner, "MemPool", MemPool)
        yield Patch(owner, "use_mem_pool", use_mem_pool)
        yield Patch(
            owner,
            "list_gpu_processes",
            lambda device=None: f"GPU:{device or 0}\nno processes are running",
        )
