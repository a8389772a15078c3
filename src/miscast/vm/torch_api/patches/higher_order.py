"""Ops that take functions: `flex_attention`, `cond`, `while_loop`, `scan`. What these do is seen like anything else.

Torch dispatches them in Python, by kernels for the keys that it knows. `vmap`, `grad` and their kin get those that they
know; else the kernel runs that is theirs on all devices. That of attention would keep a score for each pair of tokens,
which no GPU does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter
from torch._ops import HigherOrderOperator
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from ....running.process.patching import Patch
from ....running.torch_abi import DispatchKey, is_excluded, tree_flatten, tree_unflatten
from ...key import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

_TRANSFORMS = DispatchKey.FuncTorchDynamicLayerFrontMode
_DENSE = DispatchKey.CompositeExplicitAutograd


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the method by which all of them choose their kernel."""
    plain: Any = HigherOrderOperator.dispatch

    def dispatch(
        self: HigherOrderOperator, key: Any, /, *args: Any, **kwargs: Any
    ) -> Any:
        if key == KEY and _transformed(self):
            transformed = partial(plain, self, _TRANSFORMS)
            if self.name() == "cond":
                return _cond(transformed, *args)
            return transformed(*args, **kwargs)
        kernel = _kernel(vm, self) if key == KEY else None
        if kernel is None:
            return plain(self, key, *args, **kwargs)
        return kernel(*args, **kwargs)

    yield Patch(HigherOrderOperator, "dispatch", dispatch)


def _transformed(op: HigherOrderOperator) -> bool:
    """Check whether `vmap`, `grad` or a similar transform, whose key is below ours, is on and handles the op."""
    if torch._C._functorch.peek_interpreter_stack() is None or is_excluded(_TRANSFORMS):
        return False
    return retrieve_current_functorch_interpreter().key() in op.functorch_table


def _cond(
    op: Callable[..., Any], pred: Any, true_fn: Any, false_fn: Any, operands: Any
) -> Any:
    """Return a transformed `cond`: its rules want branches that return tuples, as torch.compile makes them."""
    shapes: list[Any] = []

    def flat(branch: Callable[..., Any], *operands: Any) -> tuple[Any, ...]:
        leaves, shape = tree_flatten(branch(*operands))
        shapes.append(shape)
        return tuple(leaves)

    return tree_unflatten(
        op(pred, partial(flat, true_fn), partial(flat, false_fn), operands), shapes[0]
    )


def _kernel(vm: VirtualMachine, op: HigherOrderOperator) -> Callable[..., Any] | None:
    if op.name() == "flex_attention":
        return partial(_flex_attention, vm)
    own = getattr(DispatchKey, vm.machine.device.upper(), _DENSE)
    return op.py_kernels.get(_DENSE) or op.py_kernels.get(own)


def _flex_attention(  # noqa: PLR0913 - torch's signature
    vm: VirtualMachine,
    query: Any,
    key: Any,
    value: Any,
    score_mod: Callable[..., Any],
    block_mask: tuple[Any, ...],
    scale: float,
    kernel_options: Any,
    score_mod_other_buffers: Any = (),
    mask_mod_other_buffers: Any = (),
) -> tuple[Any, Any, Any]:
    """Return (result, log-sum-exp, largest score); the functions are checked on a single score."""
    if vm.dispatcher.autocast.on():
        dtype = torch.get_autocast_dtype(query.device.type)
        query, key, value = (t.to(dtype) for t in (query, key, value))
    # eagerly and on GPUs torch 2.13 takes them of several dtypes, and gives that of `query`
    key, value = key.to(query.dtype), value.to(query.dtype)
    working = torch.float64 if query.dtype is torch.float64 else torch.float32
    score = torch.zeros((), dtype=working, device=query.device)
    place = [torch.zeros((), dtype=torch.int32, device=query.device) for _ in range(4)]
    modified = score_mod(score, *place, *score_mod_other_buffers)
    block_mask[-1](*place, *mask_mod_other_buffers)
    grouped = query.shape[1] != key.shape[1]
    batch = query.shape[0]
    key, value = (t.expand(batch, *t.shape[1:]) for t in (key, value))
    out = F.scaled_dot_product_attention(
        query, key, value, scale=scale, enable_gqa=grouped
    )
    # a bias that is learned
    if isinstance(modified, torch.Tensor) and modified.requires_grad:
        out = out + (0 * modified).to(out.dtype)
    rows = torch.zeros(query.shape[:-1], dtype=working, device=query.device)
    return out, rows, rows.clone()
