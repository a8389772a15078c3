"""The build of the running torch: CUDA or HIP, cuDNN, NCCL, and the switches of its libraries, which change nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from .answers import always, answers, nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from .state import State

_CUDA, _HIP = "12.8", "6.4.43482"
_CUDNN, _MIOPEN = 91_002, 3_004_000
_NCCL = (2, 27, 3)
_OFF = (
    "tunableop_is_enabled",
    "tunableop_tuning_is_enabled",
    "record_untuned_is_enabled",
    "tunableop_read_file",
)
_EMPTY = ("tunableop_get_results", "tunableop_get_validators")
_ZERO = (
    "tunableop_get_max_tuning_duration", "tunableop_get_max_tuning_iterations",
    "tunableop_get_rotating_buffer_size", "getCublasWorkspaceSize", "getCublasLtWorkspaceSize",
    "getHipblasltVersion",
)  # fmt: skip
_IGNORED = (
    "set_cudnn_benchmark_limit",
    "tunableop_enable", "tunableop_tuning_enable", "tunableop_set_filename",
    "tunableop_set_max_tuning_duration", "tunableop_set_max_tuning_iterations",
    "tunableop_set_numerical_check_tolerances", "tunableop_set_rotating_buffer_size",
    "record_untuned_enable", "setCublasWorkspaceSize", "setCublasLtWorkspaceSize",
    "resetCublasWorkspaceSize", "resetCublasLtWorkspaceSize",
    "attach_out_of_memory_observer",
)  # fmt: skip
"""Functions of cuBLAS, cuDNN and `torch.cuda.tunable` in torch._C, behind `_cuda_`, by what they return."""


def patches(machine: Machine, _state: State) -> Iterator[Patch]:
    """Yield a CUDA or ROCm build of the running version; a CUDA build keeps its own number."""
    hip = machine.hip
    yield Patch(torch.version, "cuda", None if hip else torch.version.cuda or _CUDA)
    yield Patch(torch.version, "hip", _HIP if hip else None)
    yield from cudnn(_MIOPEN if hip else _CUDNN)
    # cuDNN itself would lay out weights, which have no memory; a CPU build says no
    yield Patch(torch, "_use_cudnn_rnn_flatten_weight", always(False))
    yield Patch(
        torch._C, "_nccl_version", always(_NCCL[0] << 32 | _NCCL[1] << 16 | _NCCL[2])
    )
    yield Patch(torch._C, "_nccl_version_suffix", always(b""))
    yield Patch(torch._C, "_cuda_get_cudnn_benchmark_limit", always(10))
    for names, answer in (
        (_OFF, always(False)),
        (_EMPTY, always(())),
        (_ZERO, always(0)),
        (_IGNORED, nothing),
    ):
        yield from answers(torch._C, {f"_cuda_{name}": answer for name in names})
    yield Patch(torch._C, "_cuda_tunableop_get_filename", always(""))
    yield from nccl(available=True)


def cudnn(version: int | None) -> Iterator[Patch]:
    """Patch `torch.backends.cudnn`: the object that replaces the module, and the module itself."""
    outside: Any = torch.backends.cudnn
    for owner in (outside, outside.m):
        yield Patch(owner, "is_available", always(version is not None))
        yield Patch(owner, "version", always(version))
        yield Patch(owner, "_init", always(version is not None))


def nccl(*, available: bool) -> Iterator[Patch]:
    """Patch `torch.distributed.is_nccl_available`, and the class that torch looks for then, which no CPU build has."""
    if torch.distributed.is_available():
        yield Patch(torch.distributed, "is_nccl_available", always(available))
        inside: Any = torch.distributed.distributed_c10d
        if not hasattr(inside, "ProcessGroupNCCL"):
            group = _nccl_group(torch._C._distributed_c10d.Backend.Options)
            for module in (inside, torch.distributed) if available else (inside,):
                yield Patch(module, "ProcessGroupNCCL", group)


def _nccl_group(base: Any) -> type:
    """Return what programs use of the class in `torch/_C/_distributed_c10d.pyi`: its options, which change nothing."""

    class Options(base):  # type: ignore[misc]  # known at run time
        def __init__(self, is_high_priority_stream: bool = False) -> None:
            super().__init__("nccl")
            self.is_high_priority_stream = is_high_priority_stream
            self.config = SimpleNamespace()
            self.split_from, self.split_color = None, 0

    return type("ProcessGroupNCCL", (), {"Options": Options})
