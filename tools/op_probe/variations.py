"""Variations of a call: operands changed alone, in pairs, and all at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, TypeAlias

import torch

from .call import Call
from .casting import DTYPES, KINDS, PAIRED, known

Change: TypeAlias = Mapping[int, Any]
"""The new dtype, or kind of number, by operand."""
FEW, MANY = 4, 14
"""Limits of arguments. Calls with more than FEW change pairs to `FLOATS` only; with more than MANY, none."""
FLOATS = ("float16", "bfloat16", "float32")


def groups(call: Call) -> list[tuple[int, ...]]:
    """Return the operands by argument: one, or all those of a list."""
    return [
        tuple(i for i, slot in enumerate(call.slots) if slot.name == name)
        for name in call.operands
    ]


def singles(call: Call) -> Iterator[Change]:
    """Yield one argument at a time to every dtype or kind of number.

    Of a list also the first and the last item alone.
    """
    for group in groups(call):
        for to in targets(call, group):
            yield dict.fromkeys(group, to)
            if len(group) > 1:
                yield {group[0]: to}
                yield {group[-1]: to}


def pairs(call: Call) -> Iterator[Change]:
    """Yield changes of two arguments at a time; none with `out=`, whose op has an overload without it."""
    every = groups(call)
    names = PAIRED if len(every) <= FEW else FLOATS
    if len(every) > MANY or call.form.into:
        return
    for first, second in combinations(every, 2):
        for a in targets(call, first, names):
            for b in targets(call, second, names):
                yield {**dict.fromkeys(first, a), **dict.fromkeys(second, b)}


def together(call: Call) -> Iterator[Change]:
    """Yield all tensors at once; and the floating ones alone, as `module.to(dtype)` changes them."""
    held = [i for i, value in enumerate(call.values) if isinstance(value, torch.Tensor)]
    floating = [
        i
        for i in held
        if call.values[i].dtype.is_floating_point or call.values[i].dtype.is_complex
    ]
    for to in known(DTYPES):
        yield dict.fromkeys(held, to)
        if len(floating) not in (0, len(held)):
            yield dict.fromkeys(floating, to)


def targets(
    call: Call, group: tuple[int, ...], names: tuple[str, ...] = DTYPES
) -> tuple[Any, ...]:
    """Return what an argument may become."""
    return known(names) if isinstance(call.values[group[0]], torch.Tensor) else KINDS


def without_dimensions(call: Call) -> Iterator[Call]:
    """Yield the call with one of several tensors cut to a single number."""
    held = [i for i, value in enumerate(call.values) if isinstance(value, torch.Tensor)]
    for i in held if len(held) > 1 else ():
        if (
            call.values[i].dim()
            and call.slots[i].item is None
            and call.slots[i].name not in call.form.written
        ):
            cut = call.values[i].flatten()[0].clone()
            yield call.with_values(
                [cut if j == i else v for j, v in enumerate(call.values)]
            )
