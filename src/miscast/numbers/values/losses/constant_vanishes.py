"""A constant rounds to 0, or a bound to 1, and no longer protects against what it is there for."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..call import Call, Result
from ..loss import Loss
from ..numbers import MEASURED

_ADD = frozenset({"add", "sub", "rsub"})
_TWO = 2
_CLAMP = frozenset({"clamp", "clamp_min", "clamp_max", "maximum", "minimum"})


def observe(call: Call) -> Iterator[Loss]:
    """Yield a Python number among the arguments that the dtype does not hold."""
    if call.op not in _ADD | _CLAMP:
        return
    yield from _jitter(call)
    given = (value for name, value in call.bound.items() if name != "alpha")
    numbers = [value for value in given if type(value) is float]
    for result in call.results if numbers else ():
        if result.tensor.dtype in MEASURED:
            for value in numbers:
                yield from _gone(call, result, value)


def _gone(call: Call, result: Result, value: float) -> Iterator[Loss]:
    held = torch.tensor(value, dtype=torch.float64).to(result.tensor.dtype).item()
    gone = value != 0 and held == 0
    if not gone and not (call.op in _CLAMP and value != 1 and held == 1):
        return
    hit = (result.low == held) & (result.wide != held)
    if bool(hit.any()):
        yield call.loss(
            f"{value:g} is {held:g} in {call.site.dtype_name}: `{call.site.op}` gives {held:g} for "
            f"{int(hit.sum()):,} of {hit.numel():,} elements, which the constant should prevent",
            form="eps" if gone else "bound",
            weight=float(hit.double().mean()),
        )


def _jitter(call: Call) -> Iterator[Loss]:
    """Yield a loss if adding to a diagonal changes nothing: `k.diagonal().add_(1e-8)`, `k + 1e-8 * torch.eye(n)`."""
    if call.op != "add" or call.site.phase == "backward" or len(call.results) != 1:
        return
    (result,) = call.results
    added = _on_diagonal(call, result)
    if added is None or not added or result.tensor.dtype not in MEASURED:
        return
    before = call.operands[0].low
    if before.dim() > 1 and result.before is None:
        before, after = before.diagonal(0, -2, -1), result.low.diagonal(0, -2, -1)
    else:
        after = result.low
    if bool((after == before).all()) and bool(before.all()):
        yield call.loss(
            f"adding {added:g} to a diagonal of about {float(before.abs().mean()):.2g} changes nothing in "
            f"{call.site.dtype_name}",
            form="jitter",
            weight=1.0,
        )


def _on_diagonal(call: Call, result: Result) -> float | None:
    """Return the number that is added to the diagonal of a square matrix, and to nothing else of it."""
    number, base = call.bound.get("other"), result.tensor._base
    if type(number) is float:
        strides = () if base is None else base.stride()[-2:]
        view = result.before is not None and result.tensor.dim() and len(strides) > 1
        return number if view and result.tensor.stride(-1) == sum(strides) else None
    if len(call.operands) != _TWO or call.bound.get("alpha", 1) != 1:
        return None
    before, matrix = (one.low for one in call.operands)
    return _of_diagonal(matrix) if matrix.shape == before.shape[-2:] else None


def _of_diagonal(matrix: torch.Tensor) -> float | None:
    """Return the one number of a square matrix that is 0 elsewhere."""
    if matrix.dim() < _TWO or not matrix.shape[0] == matrix.shape[1] >= _TWO:
        return None
    first = matrix[0, 0]
    alone = torch.equal(matrix, torch.eye(len(matrix)).to(matrix) * first)
    return float(first) if alone else None
