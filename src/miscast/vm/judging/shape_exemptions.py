"""Calls that a table refuses by their dtypes, and torch does not, because it looks at shapes first.

Tables are measured on small tensors with elements. Of an empty one no kernel is asked for; cuFFT transforms halves
whose sizes are powers of two, and only these; attention by its parts adds a float32 mask to weights of any dtype.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ..fused_kernels import attention_kernel
from .eager_confirmation import is_empty, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...core.event import Violation
    from ...core.machines import Machine
    from ..call import Call

_POWERS = "sizes are powers of two"
_GOT_SIZE = ", but got a signal size of"
_MADE_OF_HALF = ("fft_irfft", "fft_hfft")


def not_excused(
    call: Call, found: tuple[Violation, ...], machine: Machine
) -> tuple[Violation, ...]:
    """Return those violations of an op called on a GPU for which torch refuses the call."""
    if not found or _refused_anyway(call, found):
        return found
    if call.is_attention:
        return (
            tuple(one for one in found if one.odd != ("attn_mask",))
            if _by_its_parts(call, machine)
            else found
        )
    if _runs_at_this_size(call, found):
        return ()
    return tuple(_of_this_size(call, violation) for violation in found)


def _refused_anyway(call: Call, found: tuple[Violation, ...]) -> bool:
    """Check whether shapes excuse nothing: on the CPU, where torch itself is asked, and between devices."""
    return (
        call.device is None
        or call.device.type == "cpu"
        or any(violation.kind == "device" for violation in found)
    )


def _runs_at_this_size(call: Call, found: tuple[Violation, ...]) -> bool:
    if any(map(told_by_size, found)):
        return all(map(_is_power, _transformed(call)))
    # what the CPU says of nothing holds for all devices
    return is_empty(call) and runs(call)


def _of_this_size(call: Call, violation: Violation) -> Violation:
    """Return the violation in cuFFT's words for this call; of several sizes cuFFT names those that it reaches first."""
    head, got, _ = violation.error.partition(_GOT_SIZE)
    sizes = _transformed(call) if got else []
    size = f"{got}[{sizes[0]}]" if len(sizes) == 1 else ""
    return replace(violation, error=head + size)


def told_by_size(violation: Violation) -> bool:
    """Check whether torch refuses sizes: then no op within speaks of a call for which it was measured."""
    return _POWERS in violation.error


def _is_power(size: int) -> bool:
    return size > 0 and not size & (size - 1)


def _by_its_parts(call: Call, machine: Machine) -> bool:
    """Check whether attention with a float32 mask is computed by its parts, of which one adds the mask."""
    given = dict(call.given())
    mask, gqa = given.get("attn_mask"), bool(given.get("enable_gqa"))
    if mask is None or mask.dtype is not torch.float32:
        return False
    return attention_kernel(machine, call.args[:3], mask, enable_gqa=gqa) == "math"


def _transformed(call: Call) -> list[int]:
    """Return the sizes of a Fourier transform: those of its dimensions, or those that it cuts or pads them to."""
    given, shape, short = dict(call.given()), call.tensors[0].shape, call.plan.short
    said = (given[name] for name in ("n", "s", "n_fft") if given.get(name) is not None)
    asked = next(said, None)
    if asked is not None:
        return _several(asked)
    dims = given.get("dim")
    if dims is None:
        dims = (
            range(len(shape))
            if short.endswith("n")
            else (-2, -1)
            if short.endswith("2")
            else -1
        )
    sizes = [shape[dim] for dim in _several(dims)]
    if short.startswith(_MADE_OF_HALF):  # n numbers, of n / 2 + 1 of their transform
        sizes[-1] = 2 * (sizes[-1] - 1)
    return sizes


def _several(one: int | Sequence[int]) -> list[int]:
    return [one] if isinstance(one, int) else list(one)
