"""One call, and how it went: the dtypes that came out, or the first line of what torch said."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from miscast.torch_facts.contracts.signature import LETTERS

from .call import Call, dtype_name, letters, tensors
from .watch import fresh

LONGEST = 300
POISONED = 70
"""The exit code of a process whose device is of no more use, because a kernel failed."""
OF_VALUES = (
    "out of range", "out of bounds", "out-of-bounds", "not within", "should be between",
    "must be between", "values must be", "singular", "not positive-definite",
    "not positive definite", "positive-definite", "failed to converge",
    "did not converge", "ill-conditioned", "must be positive", "must be non-negative",
    "must be nonnegative", "non-negative", "must be greater", "must be strictly",
    "greater than", "less than", "should be >= 0", ">= 0",
    "probability tensor contains", "invalid multinomial", "zero is not allowed",
    "ZeroDivision", "division by zero", "cannot be zero", "cannot be negative",
    "negative values", "not a legal", "invalid repeat", "repeats can not be negative",
    "The shape of the mask", "Expected value", "Values must", "increasing", "monotonic",
    "expected to be finite", "overflow", "out of memory", "to have value",
    "must be sorted", "[0, 1]", "size of tensor", "shape mismatch", "shape '",
    "not broadcastable", "doesn't match the broadcast shape", "same shape", "same size",
    "must be equal to input", "cannot be broadcast",
)  # fmt: skip
"""Texts that tell of values, or of shapes that follow from values (a mask in the place of indices)."""
_OF_VALUES = re.compile("|".join(map(re.escape, OF_VALUES)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """`result` holds the letters of what came out, or `error` the reason why nothing did."""

    result: str = ""
    error: str | None = None

    @property
    def about_values(self) -> bool:
        """True if torch complained of something else than dtypes."""
        return self.error is not None and _OF_VALUES.search(self.error) is not None


class Caller:
    """Makes calls on a device."""

    def __init__(self, device: str) -> None:
        """Take a device type: "cuda"."""
        self.device = device
        self.count = 0
        self._synchronize = (
            None if device == "cpu" else getattr(torch, device).synchronize
        )

    def forward(self, call: Call, values: Sequence[Any]) -> Outcome:
        """Call without autograd. Operands that the op writes to are copied first."""
        self.count += 1
        args, kwargs = call.arguments(_copied(call, values))
        try:
            with torch.no_grad():
                result = call.form.op(*args, **kwargs)
            self._finish()
        except Exception as error:  # noqa: BLE001 - the error is the result
            return self._refused(error)
        return Outcome(letters(result))

    def backward(self, call: Call, values: Sequence[Any]) -> Outcome | None:
        """Run forward and backward: `result` holds the letters of the gradients. None if there is nothing to derive."""
        self.count += 1
        given = [fresh(v) for v in values]
        leaves = {
            i: v.requires_grad_() for i, v in enumerate(given) if _has_gradient(v)
        }
        args, kwargs = call.arguments(_copied(call, given))
        try:
            with torch.enable_grad():
                results = [
                    t for t in tensors(call.form.op(*args, **kwargs)) if t.requires_grad
                ]
                if not results:
                    return None
                ones = [torch.ones_like(t) for t in results]
                found = torch.autograd.grad(
                    results, [*leaves.values()], ones, allow_unused=True
                )
            self._finish()
        except Exception as error:  # noqa: BLE001 - the error is the result
            return self._refused(error)
        letters_ = dict(zip(leaves, map(_letter, found), strict=True))
        return Outcome("".join(letters_.get(i, "-") for i in range(len(given))))

    def _finish(self) -> None:
        if self._synchronize is not None:
            self._synchronize()  # an error of the device's belongs to this call, not to the next one

    def _refused(self, error: Exception) -> Outcome:
        try:
            self._finish()
        except RuntimeError:  # it still fails: that was no refusal of this call, the device's context is broken
            os._exit(POISONED)
        text = str(error).strip() or type(error).__name__
        return Outcome(error=text.splitlines()[0].strip()[:LONGEST])


def _copied(call: Call, values: Sequence[Any]) -> list[Any]:
    """Return the operands, with copies of those that the op writes to."""
    written = [slot.name in call.form.written for slot in call.slots]
    return [
        v.clone() if w and isinstance(v, torch.Tensor) else v
        for w, v in zip(written, values, strict=True)
    ]


def _has_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (
        value.is_floating_point() or value.is_complex()
    )


def _letter(gradient: torch.Tensor | None) -> str:
    return "-" if gradient is None else LETTERS.get(dtype_name(gradient.dtype), "-")
