"""Triton's kernels: none is compiled or launched; what they may write is unknown then, and each launch is counted.

What Triton demands before a launch is judged: a kernel takes the arguments of its signature, and its pointers are those
of tensors on the current device (triton/backends/nvidia/driver.py, `getPointer`). What it does with their dtypes is its
own matter: outputs were allocated by the program, and keep theirs. An autotuner takes its first configuration.

Without a CUDA device nothing is replaced: Triton itself says that it has no driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...provenance.on_behalf import theirs
from ...provenance.record import Record, find, is_tensor
from ...values.known_storage import written

if TYPE_CHECKING:
    from ...machine import VirtualMachine

    Patches = Callable[[VirtualMachine, ModuleType], Iterator[Patch]]

_TIME = 1.0  # of a benchmark, in milliseconds


def _kernels(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Patch `kernel[grid](…)` and `kernel.warmup(…)`."""

    def run(
        self: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any
    ) -> _Compiled:
        given = _arguments(self, args, kwargs)
        for hook in getattr(self, "pre_run_hooks", ()):
            hook(*args, **kwargs)
        name = f"triton.{self.__name__}"
        if not warmup:
            sizes = grid(given) if callable(grid) else grid
            if 0 not in tuple(sizes):
                _launched(vm, name, {param: given[param.name] for param in self.params})
        vm.recorder.unchecked(name)
        return _Compiled()

    yield Patch(module.JITFunction, "run", run)


def _arguments(
    kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Mapping[str, Any]:
    """Return the arguments by name, as Triton binds them; other names are launch options such as `num_warps`."""
    own = {
        name: value
        for name, value in kwargs.items()
        if name in kernel.signature.parameters
    }
    bound = theirs(kernel.signature.bind, *args, **own)
    bound.apply_defaults()
    return dict(bound.arguments)


def _launched(vm: VirtualMachine, name: str, given: Mapping[Any, Any]) -> None:
    """Check the pointers of a launch, and mark what it may have written as unknown."""
    current = vm.indexed(vm.machine.device)
    pointers = {
        param: record
        for param, value in given.items()
        if is_tensor(value) and (record := find(value))
    }
    operands = {param.name: given[param] for param in pointers}
    for i, (param, value) in enumerate(given.items()):
        record = pointers.get(param)
        if record is None:
            continue
        if value.numel() and not _reaches(current, record):
            error = f"Pointer argument (at {i}) cannot be accessed from Triton (cpu tensor?)"
            vm.recorder.refused(
                name,
                param.name,
                operands,
                str(current),
                error,
                kind="device",
                raises="ValueError",
            )
        if not getattr(param, "is_const", False):
            written(value, record)


def _reaches(current: torch.device, record: Record) -> bool:
    """Check whether a kernel on the current device can read and write what a record describes."""
    return record.device is None or record.device is current or record.pinned


class _Compiled:
    """The result of a launch: a kernel that reports its needs, and can be launched again."""

    n_regs = n_spills = 0
    asm: Mapping[str, str] = {}

    def __getitem__(self, _grid: Any) -> Callable[..., None]:
        return lambda *_args, **_options: None


def _tuning(_vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Patch `@triton.autotune` to run nothing and treat all configurations as equally fast."""
    yield Patch(module.Autotuner, "_bench", lambda *_args, **_options: [_TIME] * 3)


def _timing(_vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Patch `triton.testing.do_bench` to call once."""

    def once(
        fn: Callable[[], object], *_args: Any, quantiles: Any = None, **_options: Any
    ) -> Any:
        fn()
        return _TIME if quantiles is None else [_TIME] * len(quantiles)

    for name in ("do_bench", "do_bench_cudagraph"):
        yield Patch(module, name, once)


def _drivers(_vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Patch the drivers to ask `torch.cuda` instead of compiled code. One made earlier has asked the host."""
    for name in ("_default", "_active"):
        if name in vars(module.driver):
            yield Patch(module.driver, name, None)
    for backend in module.backends.values():
        # no module in sys.modules before Triton 3.2
        names = backend.driver.__init__.__globals__
        if "CudaUtils" in names:
            yield Patch(names, "CudaUtils", _Utilities)


class _Utilities:
    """The part of `triton.backends.nvidia.driver.CudaUtils` that programs ask."""

    def get_device_properties(self, device: int) -> dict[str, int]:
        """Return the properties as cuDeviceGetAttribute does; the clocks in kHz are made up."""
        found: Any = torch.cuda.get_device_properties(device)
        return {
            "max_shared_mem": found.shared_memory_per_block_optin, "max_num_regs": found.regs_per_multiprocessor,
            "multiprocessor_count": found.multi_processor_count, "warpSize": found.warp_size,
            "sm_clock_rate": 1_500_000, "mem_clock_rate": 1_500_000, "mem_bus_width": 4096,
        }  # fmt: skip


def _on_cuda(patches: Patches) -> Patches:
    return lambda vm, module: (
        patches(vm, module) if vm.machine.device == "cuda" else iter(())
    )


LATER = {
    "triton.runtime.jit": _on_cuda(_kernels),
    "triton.runtime.autotuner": _on_cuda(_tuning),
    "triton.runtime.driver": _on_cuda(_drivers),
    "triton.testing": _on_cuda(_timing),
}
