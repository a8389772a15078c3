"""The build of the running torch: CUDA or HIP, cuDNN, NCCL, flash attention."""

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
    yield from answers(
        torch._C,
        {
            "_cuda_get_cudnn_benchmark_limit": always(10),
            "_cuda_set_cudnn_benchmark_limit": nothing,
        },
    )
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
