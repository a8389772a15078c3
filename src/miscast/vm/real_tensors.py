"""Tensors that cannot be data-less, nested ones of the strided layout and quantized ones: real, of zeros.

What is done with them is done for real, and their graph is real too. It leads from and to the virtual one: a virtual
operand is stood in for by zeros computed from it, and a plain result is virtual again, computed from the real one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from ..running.torch_abi import graph_task
from .autograd_graph import linked
from .call import over
from .provenance import factories
from .provenance.record import Record, attach, filled, find, is_meta
from .virtualize import is_plain, realize, virtualize

if TYPE_CHECKING:
    from .call import Call

_KINDS = torch.Tensor, torch.nn.Parameter
LARGEST = 1 << 24
"""Elements of an operand up to which there are real zeros for it."""


def among(args: Iterable[Any], kwargs: dict[str, Any]) -> bool:
    """Check whether an op is called with one."""
    return any(map(_is_one, args)) or any(map(_is_one, kwargs.values()))


def run(call: Call) -> Any:
    """Return the op's result. Raises NotImplementedError if the operands are too large to be made real."""
    if sum(t.numel() for t in call.tensors if is_meta(t)) > LARGEST:
        raise NotImplementedError(
            f"operands of {call.plan.name} are too large to compute"
        )
    accelerated = call.device is not None and call.device.type != "cpu"
    # an accelerator's take any layout
    laid = accelerated and call.is_attention
    out = call.on_cpu(
        lambda tensor: real(tensor).contiguous() if laid else real(tensor)
    )
    # the graph of real ones is real
    return out if graph_task() != -1 else over(out, virtual)


def real(tensor: torch.Tensor) -> torch.Tensor:
    """Return a real tensor for a virtual one: zeros, or the values of integers if they are known."""
    if not is_meta(tensor):
        return tensor
    known = None if tensor.is_floating_point() else realize(tensor)
    return zeros(tensor) if known is None else known


def zeros(tensor: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return real zeros that represent a virtual tensor, and propagate gradients to it."""
    stand_in = filled(tensor, 0).to(dtype or tensor.dtype)
    # what has a record is not made virtual again
    attach(stand_in, find(tensor) or Record(None, None, None))
    return linked(stand_in, [tensor])  # type: ignore[no-any-return]


def virtual(result: torch.Tensor) -> torch.Tensor:
    """Return the virtual tensor for a real plain one."""
    if not is_plain(result) or is_meta(result):
        return result
    if not result.is_floating_point():
        return virtualize(result)
    empty = factories.empty_strided(
        result.size(), result.stride(), dtype=result.dtype, device="meta"
    )
    return linked(empty, [result])  # type: ignore[no-any-return]


def _is_one(a: Any) -> bool:
    if a.__class__ in (list, tuple):
        return any(map(_is_one, a))
    return a.__class__ in _KINDS and (
        a.is_quantized or (a.is_nested and a.layout is torch.strided)
    )
