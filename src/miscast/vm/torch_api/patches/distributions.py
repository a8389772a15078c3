"""The check of torch.distributions that probabilities add up to 1. Half precision does so only by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.distributions import constraints

from ....numbers.ranges.loss import HALF, Lost, short
from ....numbers.ranges.seen import numbers
from ....running.process.patching import Patch, around

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the check of a distribution's `probs`; of known numbers it says itself what it says of them."""

    def check(original: Any, self: Any, value: torch.Tensor) -> Any:
        if value.dtype in HALF and value.shape[-1] > 1 and numbers(value) is None:
            figures = (
                f"{short(value.dtype)} probabilities add up to 1 within {torch.finfo(value.dtype).eps:.1g}; "
                "torch.distributions rejects a sum that is off by 1e-6"
            )
            lost = Lost(rule="probabilities-in-half", operand="probs", figures=figures)
            vm.numerics.tell("Categorical", lost, value)
        return original(self, value)

    yield around(type(constraints.simplex), "check", check)
