"""Whole numbers (ids, positions, timesteps, counts) are in a dtype that cannot represent all of them."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .. import record
from ..call import Call
from ..loss import Loss
from ..numbers import MEASURED, whole_until

_SAMPLERS = frozenset({"grid_sampler_2d", "grid_sampler_3d"})
_JOINS = frozenset({"cat", "stack"})
_COUNTS = frozenset({torch.int32, torch.int64})
_PIXELS, _SHARE = 0.25, 0.03


def observe(call: Call) -> Iterator[Loss]:
    """Yield a result that is to be whole, is above the dtype's limit, and is another number."""
    yield from _places(call)
    yield from _joined(call)
    for result in call.results:
        dtype = result.tensor.dtype
        if (
            dtype not in MEASURED
            or result.error == 0
            or call.inherited
            or not _whole(result.tensor)
        ):
            continue
        wrong = torch.isfinite(result.low) & (result.low != result.wide)
        if not bool(wrong.any()):
            continue
        right, real = result.wide[wrong], result.low[wrong]
        if float(right[0]) < 0 and bool((right == right[0]).all()):
            continue  # -10000 of a mask, which is about as low as it was
        yield from _rounded(call, right, real, wrong)


def _joined(call: Call) -> Iterator[Loss]:
    """Yield integers that take the dtype of the floats which they are put beside: ids next to scores."""
    for one in call.operands if call.op in _JOINS else ():
        dtype, bits = call.results[0].tensor.dtype, one.record and one.record.are_bits
        if one.tensor.dtype not in _COUNTS or dtype not in MEASURED or bits:
            continue
        right, real = one.tensor.double(), one.tensor.to(dtype).double()
        wrong = right != real
        if bool(wrong.any()):
            yield from _rounded(call, right[wrong], real[wrong], wrong)


def _rounded(
    call: Call, right: torch.Tensor, real: torch.Tensor, wrong: torch.Tensor
) -> Iterator[Loss]:
    """Yield the loss, if the numbers that are wrong lie above those that the dtype has all of."""
    halves = bool((right % 1 != 0).any())
    until = whole_until(call.results[0].tensor.dtype) / (2 if halves else 1)
    if float(right.abs().max()) <= until:
        return
    share = float(wrong.double().mean())
    yield call.loss(
        f"{'half-integers' if halves else 'whole numbers'} above {until:,.0f} are rounded in "
        f"{call.site.dtype_name}: {_plain(right[0].item())} becomes {_plain(real[0].item())}"
        + (f" ({share:.0%} of {wrong.numel():,})" if wrong.numel() > 1 else ""),
        weight=share,
    )


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number % 1 == 0 else f"{number:,}"


def _whole(tensor: torch.Tensor) -> bool:
    kept = record.find(tensor)
    return kept is not None and kept.whole


def _places(call: Call) -> Iterator[Loss]:
    """Yield the grid of `grid_sample`, (..., height, width, 2): x and y from -1 to 1."""
    grid = next((one for one in call.operands if one.name == "grid"), None)
    if call.op not in _SAMPLERS or grid is None or grid.record is None:
        return
    sizes = call.operands[0].tensor.shape[2:]
    pixels = torch.tensor(sizes[::-1], dtype=torch.float64, device=grid.low.device) / 2
    off = (grid.low - grid.wide).abs() * pixels
    share = float((off > _PIXELS).any(-1).double().mean())
    if share > _SHARE and bool(torch.isfinite(off).all()):
        culprit = grid.record.culprit or call.site
        yield call.loss(
            at=culprit,
            says=f"sampling positions in an image of {' x '.join(map(str, sizes))} are rounded in "
            f"{culprit.dtype_name} by up to {float(off.max()):.2g} pixels, {share:.0%} of them by more than {_PIXELS}",
            form="places",
            weight=share,
            also=(("sampled", call.site),),
        )
