"""The work of a kernel: its operations, the bytes it reads and writes, and use of tensor cores.

The operations of products are torch's own count (torch.utils.flop_counter); all else is counted by its bytes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry, sdpa_flop_count

from ...vm.provenance.record import is_tensor

PRODUCTS = {
    "mm": "matmul", "addmm": "matmul", "bmm": "matmul", "baddbmm": "matmul", "_scaled_mm": "matmul",
    "convolution": "convolution", "convolution_backward": "convolution", "_convolution": "convolution",
    "scaled_dot_product_attention": "attention",
}  # fmt: skip
TRANSFERS = "transfers with the host"
COLLECTIVES = "collectives"
"""Kinds of work that no kernel does: bytes that go over a link."""
_ATTENTION = "_scaled_dot_product_"
_EIGHT = {2: 8, 1: 16, 4: 4}
"""Number of elements that sizes must be a multiple of to use tensor cores, by bytes of the dtype.

https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/, Tensor Core requirements.
"""
_FREE = frozenset([
    "detach", "alias", "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided",
])  # fmt: skip
_COPIES = frozenset(
    ["to", "_to_copy", "copy_", "type_as", "clone", "contiguous", "reshape", "flatten"]
)


@dataclass(frozen=True, slots=True)
class Work:
    """One kernel's: `kind` is a row of the breakdown, `dtype` what it multiplies in, `even`: tensor cores take it.

    `recorded`: autograd was on when the host called it.
    """

    kind: str
    dtype: str
    operations: float
    bytes: float
    even: bool = True
    recorded: bool = False


def work_of(name: str, op: Any, args: Sequence[Any], kwargs: Any, out: Any) -> Work:
    """Return the work of one call, by the short name of its op; ops that do nothing cost nothing."""
    operands = [*tensors(args), *tensors(kwargs.values())]
    moved = (
        0.0 if name in _FREE else float(sum(map(_size, (*operands, *tensors((out,))))))
    )
    kind = kind_of(name)
    floats = [t for t in operands if t.is_floating_point()]
    dtype = str((floats or operands)[0].dtype)[6:] if operands else "float32"
    if kind in ("matmul", "convolution", "attention"):
        operations = _operations(name, op, args, kwargs, out)
        return Work(kind, dtype, operations, moved, _even(kind, floats))
    results = sum(t.numel() for t in tensors((out,)))
    return Work(kind, dtype, float(results), moved)


def kind_of(name: str) -> str:
    """Return the row of the breakdown that an op is in."""
    if name in PRODUCTS:
        return PRODUCTS[name]
    if name.startswith((_ATTENTION, "_flash_attention", "_efficient_attention")):
        return "attention"
    if name.startswith(("_foreach_", "_fused_", "optimizer_")):
        return "optimizer"
    if "norm" in name:
        return "normalization"
    if name in _COPIES:
        return "copies and casts"
    return "elementwise and others"


def tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    """Yield the tensors among arguments, also in lists."""
    for value in values:
        if is_tensor(value):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors(value)


def _size(tensor: torch.Tensor) -> int:
    """Return the bytes that are read of a tensor; elements of an expanded one count once."""
    if tensor.layout is not torch.strided:
        return 0
    strides = zip(tensor.shape, tensor.stride(), strict=True)
    return math.prod(n for n, step in strides if step) * tensor.element_size()


def _operations(
    name: str, op: Any, args: Sequence[Any], kwargs: Any, out: Any
) -> float:
    if name == "scaled_dot_product_attention":
        shapes = [tuple(t.shape) for t in args[:3]]
        return _attended(*shapes) if len(shapes) == 3 else 0.0
    packet = getattr(op, "overloadpacket", op)
    count = flop_registry.get(packet)
    if count is None:
        return 0.0
    try:
        return float(count(*args, **kwargs, out_val=out))
    except (TypeError, ValueError, AssertionError, IndexError):
        return 0.0  # a call that torch's own count does not know: told as bytes alone


def _attended(
    query: tuple[int, ...], key: tuple[int, ...], value: tuple[int, ...]
) -> float:
    """Return the operations of attention, with equal numbers of heads, as `sdpa_flop_count` requires."""
    if len(query) != 4:
        return 0.0
    heads = query[1]
    return float(
        sdpa_flop_count(query, (key[0], heads, *key[2:]), (value[0], heads, *value[2:]))
    )


def _even(kind: str, floats: Sequence[torch.Tensor]) -> bool:
    """Check whether the sizes of a product are multiples: a matrix's last two, a kernel's channels."""
    multiple = _EIGHT.get(floats[0].element_size() if floats else 8, 1)
    if kind == "convolution":  # of the weight: channels out and in
        shapes = [t.shape[:2] for t in floats if t.dim() > 2][-1:]
    else:
        last = {"matmul": 2, "attention": 1}.get(kind, 0)
        same = [
            one for one in floats if one.dim() >= 2 and one.dtype == floats[0].dtype
        ]
        shapes = [one.shape[one.dim() - last :] for one in same]
    return not any(size % multiple for size in itertools.chain(*shapes))
