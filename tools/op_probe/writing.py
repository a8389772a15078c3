"""Units of what is neither an entry of torch's databases nor a layer: item assignment, operators, weighted losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - everybody calls it so

from .units import Program, Unit, calling


def units() -> Iterator[Unit]:
    """Yield the three units."""
    yield Unit("writing.items", _items)
    yield Unit("writing.operators", _operators)
    yield Unit("writing.losses", _losses)


def _items(device: str, dtype: torch.dtype) -> Iterator[Program]:
    x, i = torch.ones(4, 4, device=device, dtype=dtype), torch.arange(2, device=device)
    row = torch.ones(4, device=device, dtype=dtype)
    mask = torch.ones(4, 4, device=device, dtype=torch.bool)
    written: tuple[tuple[Any, Any], ...] = (
        (0, row), (0, 1), (i, row), (i, row[0]), (i, 1), (mask, row[0]), (mask, 1), (slice(0, 2), row),
        ((i, i), row[:2]), ((slice(None), i), row[:1]), (Ellipsis, row), (mask[0], row), (None, row),
    )  # fmt: skip
    for key, value in written:
        yield calling(x.__setitem__, key, value)
    read: tuple[Any, ...] = (
        i,
        (i, i),
        mask,
        mask[0],
        (slice(None), i),
        (None, i),
        (i, mask[0, :2]),
    )
    for key in read:
        yield calling(x.__getitem__, key)
    full = torch.zeros(4, 4, device=device, dtype=torch.long)
    yield calling(x.index_put_, (i,), row, accumulate=True)
    yield calling(x.copy_, row)
    yield calling(x.masked_fill_, mask, row[0])
    yield calling(x.masked_scatter_, mask, x.clone())
    yield calling(x.scatter_, 0, full, x.clone())
    yield calling(x.scatter_add_, 0, full, x.clone())
    yield calling(x.index_add_, 0, i, x[:2].clone())
    yield calling(x.index_copy_, 0, i, x[:2].clone())


def _operators(device: str, dtype: torch.dtype) -> Iterator[Program]:
    """Yield operators between tensors, numbers of each kind, and tensors without dimensions."""
    x = torch.ones(2, 3, device=device, dtype=dtype)
    one = torch.ones((), device=device, dtype=dtype)
    others: tuple[Any, ...] = (x, one, 2, 2.5, True, 2j)
    for other in others:
        for name in (
            "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "lshift", "eq", "lt",
        ):  # fmt: skip
            for left, form in ((x, "{}"), (one, "{}"), (x, "r{}"), (x.clone(), "i{}")):
                method = getattr(left, f"__{form.format(name)}__", None)
                if method is not None:
                    yield calling(method, other)
        yield calling(torch.where, x > 0, x, other)
        yield calling(x.clone().fill_, other)
        yield calling(torch.full_like, x, other)
        yield calling(x.clamp, min=other)


def _losses(device: str, dtype: torch.dtype) -> Iterator[Program]:
    if not dtype.is_floating_point:
        return
    x = torch.rand(3, 4, device=device, dtype=dtype).requires_grad_()
    y = torch.rand(3, 4, device=device, dtype=dtype)
    weight = torch.rand(4, device=device, dtype=dtype)
    target = torch.tensor([0, 1, 2], device=device)
    signs = torch.ones_like(target)
    logits = F.binary_cross_entropy_with_logits
    for reduction in ("mean", "sum", "none"):
        how: dict[str, Any] = {"leaves": [x], "reduction": reduction}
        for w in (None, weight):
            yield calling(F.cross_entropy, x, target, w, **how)
            yield calling(F.cross_entropy, x, target, w, label_smoothing=0.1, **how)
            yield calling(F.cross_entropy, x, y.softmax(1), w, **how)
            yield calling(F.nll_loss, x, target, w, **how)
            yield calling(F.multi_margin_loss, x, target, weight=w, **how)
            yield calling(F.binary_cross_entropy, x, y, w, **how)
            for positive in (None, weight):
                yield calling(logits, x, y, w, pos_weight=positive, **how)
        for loss in (
            F.mse_loss,
            F.l1_loss,
            F.smooth_l1_loss,
            F.huber_loss,
            F.soft_margin_loss,
            F.poisson_nll_loss,
        ):
            yield calling(loss, x, y, **how)
        yield calling(F.kl_div, x, y.softmax(1), **how)
        yield calling(F.kl_div, x, y, log_target=True, **how)
        yield calling(F.gaussian_nll_loss, x, y, weight.expand(3, 4), **how)
        yield calling(F.cosine_embedding_loss, x, y, signs, **how)
