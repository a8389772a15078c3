"""The norm of an optimizer's gradients, from the cheapest source that there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from .budget import Budget
from .figures import Of
from .finite import norms


def of(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """Return the gradients that an optimizer will read; of sharded ones, this process's part."""
    return [gradient for _, gradient in named(optimizer, {})]


def _local(gradient: torch.Tensor) -> torch.Tensor:
    # of a DTensor the shard that is here; public for it: `to_local`
    return gradient.to_local() if hasattr(gradient, "to_local") else gradient


def measured(
    gradients: Sequence[torch.Tensor], budget: Budget, *, whole: bool
) -> tuple[torch.Tensor | None, Of]:
    """Return the norm of all gradients if the budget or `whole` allows it; else of the smallest, the vectors.

    What is not finite at one place of a backward pass makes the gradients of all layers before it so, their vectors'
    too. These are the least that is looked at, whatever the budget says.
    """
    if not gradients:
        return None, ""
    if whole or budget.affords("norm"):
        with budget.spending("norm"):
            return norms(gradients), "all"
    return norms(_smallest(gradients)), "some"


def _smallest(gradients: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    vectors = [one for one in gradients if one.dim() < 2]
    return vectors or sorted(gradients, key=torch.Tensor.numel)[:1]


def named(
    optimizer: torch.optim.Optimizer, names: dict[int, str]
) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the gradients with their parameters' names."""
    for group in optimizer.param_groups:
        for number, p in enumerate(group["params"]):
            if p.grad is not None and not p.grad.is_sparse:
                yield names.get(id(p), f"parameter {number}"), _local(p.grad)
