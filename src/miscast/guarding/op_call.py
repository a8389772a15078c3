"""Record an op's inputs: its tensors by the op's own names, with their values before the op wrote."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from ..running.torch_abi import tree_leaves
from .trip import Operand

_OVERWRITERS = frozenset({
    "copy_", "fill_", "zero_", "normal_", "uniform_", "bernoulli_", "random_", "exponential_", "_foreach_copy_",
})  # fmt: skip
"""Ops that write a tensor without reading it."""
_MANY = 1 << 26


class Given(NamedTuple):
    """A tensor that an op was given. `value` is what it held then; None where the op does not read it."""

    name: str
    tensor: torch.Tensor
    written: bool
    value: torch.Tensor | None


def given(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Given]:
    """Return the tensors of a call, including those in lists."""
    return list(_given(func._schema, args, kwargs))


def _given(
    schema: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[Given]:
    for index, argument in enumerate(schema.arguments):
        positional = index < len(args) and not argument.kwarg_only
        value = args[index] if positional else kwargs.get(argument.name)
        tensors = [*filter(torch.is_tensor, tree_leaves(value))]
        alias = argument.alias_info
        written = alias is not None and alias.is_write
        read = not written or not (
            argument.kwarg_only or schema.name.partition("::")[2] in _OVERWRITERS
        )
        for number, tensor in enumerate(tensors):
            name = argument.name if len(tensors) == 1 else f"{argument.name}[{number}]"
            yield Given(
                name, tensor, written, _before(tensor, written) if read else None
            )


def _before(tensor: torch.Tensor, written: bool) -> torch.Tensor:
    copied = written and tensor.is_floating_point() and tensor.numel() <= _MANY
    return tensor.detach().clone() if copied else tensor


def is_view(schema: Any) -> bool:
    """Check whether an op's results are its operand's memory, and it writes nothing."""
    return not schema.is_mutable and any(
        one.alias_info is not None for one in schema.returns
    )


def has_infinite_number(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Check whether a plain number among the arguments is infinite."""
    return any(
        isinstance(one, float) and math.isinf(one)
        for one in tree_leaves((args, kwargs))
    )


def operands(tensors: list[Given], result: torch.Tensor) -> tuple[Operand, ...]:
    """Return the floating-point operands in figures, and their values where the result is first not finite."""
    wrong = (~torch.isfinite(result.detach())).flatten().to(torch.uint8)
    at = int(wrong.argmax()) if wrong.any() else None
    return tuple(
        _figures(one.name, one.value.detach(), result, at)
        for one in tensors
        if one.value is not None and one.value.is_floating_point()
    )


def _figures(
    name: str, value: torch.Tensor, result: torch.Tensor, at: int | None
) -> Operand:
    flat = value.reshape(-1)
    finite = flat[torch.isfinite(flat)]
    low = high = math.nan
    if finite.numel():
        low, high = float(finite.min()), float(finite.max())
    there = None
    if at is not None and flat.numel():
        if value.shape == result.shape:
            there = float(flat[at])
        elif _broadcasts(value, result):
            there = float(value.expand(result.shape).reshape(-1)[at])
    return Operand(
        name=name,
        dtype=str(value.dtype)[6:],
        shape=tuple(value.shape),
        low=low,
        high=high,
        zeros=int((flat == 0).sum()),
        at=there,
    )


def _broadcasts(value: torch.Tensor, result: torch.Tensor) -> bool:
    try:
        return bool(torch.broadcast_shapes(value.shape, result.shape) == result.shape)
    except RuntimeError:
        return False
