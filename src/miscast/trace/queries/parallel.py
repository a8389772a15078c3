"""The copies between devices that `torch.nn.parallel` and `torch.cuda.comm` make in C++, as ops that can be seen."""

# ruff: noqa: SLF001 - the answers stand below torch's public functions, so that those follow from them

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ...machines import Machine
from ..patching import Patch
from .answers import answers
from .state import State


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """torch/csrc/cuda/comm.cpp, by `Tensor.to`."""
    kind = machine.device
    table = {
        "_broadcast": partial(_broadcast, kind),
        "_broadcast_out": lambda tensor, out: _fill([tensor] * len(out), out),
        "_broadcast_coalesced": partial(_broadcast_coalesced, kind),
        "_scatter": partial(_scatter, kind),
        "_scatter_out": _scatter_out,
        "_gather": partial(_gather, kind, state),
        "_gather_out": lambda tensors, out, dim: out.copy_(
            torch.cat([tensor.to(out.device) for tensor in tensors], dim)
        ),
    }
    yield from answers(torch._C, table)


def _to(kind: str, tensor: Tensor, index: int) -> Tensor:
    return tensor.to("cpu" if index < 0 else f"{kind}:{index}")


def _fill(tensors: Sequence[Tensor], out: Sequence[Tensor]) -> Sequence[Tensor]:
    for target, tensor in zip(out, tensors, strict=True):
        target.copy_(tensor)
    return out


def _broadcast(kind: str, tensor: Tensor, devices: Sequence[int]) -> tuple[Tensor, ...]:
    return tuple(_to(kind, tensor, index) for index in devices)


def _broadcast_coalesced(
    kind: str, tensors: Sequence[Tensor], devices: Sequence[int], _size: int = 0
) -> tuple[Any, ...]:
    return tuple(tuple(_to(kind, tensor, index) for tensor in tensors) for index in devices)


def _scatter(  # noqa: PLR0913 - torch's parameters
    kind: str, tensor: Tensor, devices: Sequence[int], sizes: Any, dim: int, _streams: Any = None
) -> tuple[Tensor, ...]:
    parts = torch.chunk(tensor, len(devices), dim) if sizes is None else torch.split(tensor, list(sizes), dim)
    return tuple(_to(kind, part, index) for part, index in zip(parts, devices, strict=False))


def _scatter_out(tensor: Tensor, out: Sequence[Tensor], dim: int, _streams: Any = None) -> Sequence[Tensor]:
    return _fill(torch.split(tensor, [target.size(dim) for target in out], dim), out)


def _gather(kind: str, state: State, tensors: Sequence[Tensor], dim: int, index: int | None = None) -> Tensor:
    index = state.current if index is None else index
    return torch.cat([_to(kind, tensor, index) for tensor in tensors], dim)
