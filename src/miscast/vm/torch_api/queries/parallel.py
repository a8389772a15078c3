"""Operations of `torch.nn.parallel` and `torch.cuda.nccl` between devices in C++, as visible ops."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .answers import answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....core.machines import Machine
    from ....running.process.patching import Patch
    from .state import State


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Patch torch/csrc/cuda/comm.cpp and nccl.cpp to use `Tensor.to`, sums and copies."""
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
    yield from answers(
        torch._C, {f"_nccl_{call.__name__.strip('_')}": call for call in _NCCL}
    )


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
    return tuple(
        tuple(_to(kind, tensor, index) for tensor in tensors) for index in devices
    )


def _scatter(
    kind: str,
    tensor: Tensor,
    devices: Sequence[int],
    sizes: Any,
    dim: int,
    _streams: Any = None,
) -> tuple[Tensor, ...]:
    parts = (
        torch.chunk(tensor, len(devices), dim)
        if sizes is None
        else torch.split(tensor, list(sizes), dim)
    )
    return tuple(
        _to(kind, part, index) for part, index in zip(parts, devices, strict=False)
    )


def _scatter_out(
    tensor: Tensor, out: Sequence[Tensor], dim: int, _streams: Any = None
) -> Sequence[Tensor]:
    return _fill(torch.split(tensor, [target.size(dim) for target in out], dim), out)


def _gather(
    kind: str,
    state: State,
    tensors: Sequence[Tensor],
    dim: int,
    index: int | None = None,
) -> Tensor:
    index = state.current if index is None else index
    return torch.cat([_to(kind, tensor, index) for tensor in tensors], dim)


def _sum(inputs: Sequence[Tensor], device: torch.device) -> Tensor:
    total = inputs[0].to(device, copy=True)
    for tensor in inputs[1:]:
        total += tensor.to(device)
    return total


def _all_reduce(inputs: Sequence[Tensor], outputs: Sequence[Tensor], *_: Any) -> None:
    total = _sum(inputs, inputs[0].device)
    _fill([total] * len(outputs), outputs)


def _reduce(inputs: Sequence[Tensor], output: Tensor, *_: Any) -> None:
    output.copy_(_sum(inputs, output.device))


def _broadcast_(inputs: Sequence[Tensor], root: int, *_: Any) -> None:
    _fill([inputs[root]] * len(inputs), inputs)


def _all_gather(inputs: Sequence[Tensor], outputs: Sequence[Tensor], *_: Any) -> None:
    whole = torch.cat([tensor.to(inputs[0].device).flatten() for tensor in inputs])
    _fill([whole.view_as(output) for output in outputs], outputs)


def _reduce_scatter(
    inputs: Sequence[Tensor], outputs: Sequence[Tensor], *_: Any
) -> None:
    parts = _sum(inputs, inputs[0].device).flatten().chunk(len(outputs))
    _fill(
        [part.view_as(output) for part, output in zip(parts, outputs, strict=True)],
        outputs,
    )


_NCCL = (_all_reduce, _reduce, _broadcast_, _all_gather, _reduce_scatter)
"""In-process collectives; which reduction is asked for changes no dtype, so all of them add."""
