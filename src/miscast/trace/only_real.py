"""Tensors that cannot be data-less, nested ones of the strided layout and quantized ones: real, of zeros.

What is done with them is done for real, and their graph is real too. It leads from and to the virtual one: a virtual
operand is stood in for by zeros computed from it, and a plain result is virtual again, computed from the real one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from .record import Record, attach, filled, find, is_meta, is_tensor
from .standin import linked
from .virtual import is_plain, realize, virtualize

if TYPE_CHECKING:
    from .call import Call

_KINDS = torch.Tensor, torch.nn.Parameter
LARGEST = 1 << 24
"""Elements of an operand up to which there are real zeros for it."""


class OnlyReal:
    """Whether there are any in this run, and what ops do with them."""

    def __init__(self) -> None:
        """None so far."""
        self.begun = False

    def among(self, args: Iterable[Any], kwargs: dict[str, Any]) -> bool:
        """Whether an op is called with one."""
        return any(map(_is_one, args)) or any(map(_is_one, kwargs.values()))

    def run(self, call: Call) -> Any:
        """What the op gives. Raises NotImplementedError where operands are too large to stand in for."""
        if sum(t.numel() for t in call.tensors if is_meta(t)) > LARGEST:
            raise NotImplementedError(f"operands of {call.plan.name} are too large to be made real")
        args = real(call.args)
        if call.plan.short == "scaled_dot_product_attention" and call.device is not None and call.device.type != "cpu":
            args = tuple(a.contiguous() if is_tensor(a) else a for a in args)  # an accelerator's kernels do not mind
        out = call.plan.op(*args, **{name: real(a) for name, a in call.kwargs.items()})
        return out if torch._C._current_graph_task_id() != -1 else virtual(out)  # the graph of real ones is real


def real(a: Any) -> Any:
    """An argument with zeros for the virtual tensors in it, on the CPU."""
    if is_tensor(a):
        return a if not is_meta(a) else zeros(a) if a.is_floating_point() or (known := realize(a)) is None else known
    if isinstance(a, (list, tuple)):
        return type(a)(map(real, a))
    return torch.device("cpu") if isinstance(a, torch.device) else a


def zeros(tensor: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Real ones that stand for a virtual tensor, and lead gradients to it."""
    stand_in = filled(tensor, 0).to(dtype or tensor.dtype)
    attach(stand_in, find(tensor) or Record(None, None, None))  # what has a record is not made virtual again
    return linked(stand_in, [tensor])  # type: ignore[no-any-return]


def virtual(result: Any) -> Any:
    """A result with virtual tensors for the real plain ones in it."""
    if is_tensor(result):
        if not is_plain(result) or is_meta(result):
            return result
        if not result.is_floating_point():
            return virtualize(result)
        empty = torch.empty_strided(result.size(), result.stride(), dtype=result.dtype, device="meta")
        return linked(empty, [result])
    return type(result)(map(virtual, result)) if isinstance(result, (list, tuple)) else result


def _is_one(a: Any) -> bool:
    if a.__class__ in (list, tuple):
        return any(map(_is_one, a))
    return a.__class__ in _KINDS and (a.is_quantized or (a.is_nested and a.layout is torch.strided))
