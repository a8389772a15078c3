"""Ops whose shadow is not the op in float64: casts keep the exact numbers, what was dropped stays dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .call import tensors
from .numbers import whole_until
from .precision import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .beside import Beside

_EIGHT = 1
UNSCALE = "_amp_foreach_non_finite_check_and_unscale"


def _cast(
    run: Beside, outputs: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor] | None:
    """Return a cast to float8 is a quantisation, which is meant: its result is what counts from then on."""
    (output,) = outputs
    if output.is_floating_point() and output.dtype.itemsize == _EIGHT:
        return [run.precision.widened(output)]
    source = run.operands[0]
    if output.dtype == torch.float64 and _is_beyond(run, source.low):
        return [source.low.to(output.device, copy=True)]
    # a copy always: the source's own shadow may be of that dtype, and either may be changed
    wide = run.precision.of(output.dtype)
    return [source.wide.to(output.device, wide, copy=True)]


def _is_beyond(run: Beside, numbers: torch.Tensor) -> bool:
    """Check whether they are integers that float64 does not hold, as nanoseconds since 1970: they stay integers."""
    if numbers.dtype != torch.int64 or run.precision is not EXACT:
        return False
    return bool((numbers.abs() > whole_until(torch.float64)).any())


def _copy(
    run: Beside, outputs: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor] | None:
    (output,) = outputs
    source = next((one for one in run.operands if one.name == "src"), None)
    if source is None or output.dtype.itemsize == _EIGHT:
        return [run.precision.widened(output)]
    return [
        source.wide.to(output.device, run.precision.of(output.dtype))
        .expand(output.shape)
        .clone()
    ]


def _dropout(
    run: Beside, outputs: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor] | None:
    mask = outputs[1] if len(outputs) > 1 else list(tensors(run.real))[1]
    share = run.bound.get("p") or 0.0
    scale = 1 / (1 - share) if share < 1 else 0.0
    return [run.operands[0].wide * mask * scale, mask]


def _unscale(
    run: Beside, outputs: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor] | None:
    """Divide scaled gradients by the scale; whether one is infinite is taken from the real run."""
    scale = next(one for one in run.operands if one.name == "inv_scale").wide
    scaled = [one.wide * scale for one in run.operands if one.name == "self"]
    *_, found = outputs
    return [*scaled, run.precision.widened(found)]


def _as_it_is(
    run: Beside, outputs: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor] | None:
    """Return the real run's numbers, which are a decision."""
    return [run.precision.widened(one) for one in outputs]


SPECIALS: Mapping[
    str, Callable[[Beside, Sequence[torch.Tensor]], Sequence[torch.Tensor] | None]
] = {
    "_to_copy": _cast,
    "copy": _copy,
    "native_dropout": _dropout,
    UNSCALE: _unscale,
    "_amp_update_scale": _as_it_is,
}
