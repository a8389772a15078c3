"""The shadow's dtype for each dtype: float64 for all that rounds, or the dtype of another precision.

EXACT.of(torch.bfloat16)                     torch.float64
against("fp32").of(torch.bfloat16)           torch.float32      float32 and float64 stay
against("bf16").of(torch.float32)            torch.bfloat16     float64 stays
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from ..ranges.loss import HALF
from .names import canonical

_EIGHT = {one for name, one in vars(torch).items() if name.startswith("float8_")}
_COMPLEX = {
    torch.float64: {torch.complex32: torch.complex128, torch.complex64: torch.complex128},
    torch.float32: {torch.complex32: torch.complex64},
}  # fmt: skip
_OTHERS = {
    "float64": {*HALF, torch.float32},
    "float32": {*HALF},
    "bfloat16": {torch.float16, torch.float32},
    "float16": {torch.bfloat16, torch.float32},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """`beside` says which dtype stands beside one; all others stand beside themselves."""

    name: str
    beside: Mapping[torch.dtype, torch.dtype]

    def of(self, dtype: torch.dtype) -> torch.dtype:
        """Return what a number of this dtype is computed in beside."""
        return self.beside.get(dtype, dtype)

    def widened(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy of the tensor's actual values in the shadow's dtype; never the tensor itself."""
        wide = tensor.detach().to(self.of(tensor.dtype))
        return wide.clone() if wide.dtype == tensor.dtype else wide


def _all_to(name: str, others: set[torch.dtype]) -> Precision:
    to: torch.dtype = getattr(torch, name)
    return Precision(
        name=name, beside={**dict.fromkeys(others, to), **_COMPLEX.get(to, {})}
    )


EXACT = _all_to("float64", {*_OTHERS["float64"], *_EIGHT})


def against(name: str) -> Precision:
    """Return the precision of a program that computes in this dtype what it computes in others. Raises ValueError."""
    known = canonical(name)
    return _all_to(known, _OTHERS[known])
