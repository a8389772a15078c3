"""Check whether tensors are finite at the cost of a norm. Elements are read only if that is not finite."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

_WIDE = {torch.float16: torch.float32, torch.bfloat16: torch.float32}


def is_finite(tensor: torch.Tensor) -> bool:
    """Check whether no element is NaN or infinite. A norm that overflows on finite elements is no reason to say so."""
    if not (tensor.is_floating_point() or tensor.is_complex()) or not tensor.numel():
        return True
    if tensor.layout != torch.strided or tensor.itemsize < 2:
        return bool(torch.isfinite(tensor.to_dense().float()).all())
    norm = torch.linalg.vector_norm(tensor, dtype=_WIDE.get(tensor.dtype))
    return bool(torch.isfinite(norm)) or bool(torch.isfinite(tensor).all())


def norms(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the 2-norm of all of them together, as one tensor on the first one's device, in float32 or wider."""
    by_dtype: dict[torch.dtype, list[torch.Tensor]] = {}
    for one in tensors:
        by_dtype.setdefault(one.dtype, []).append(one)
    found: list[torch.Tensor] = []
    for dtype, some in by_dtype.items():
        # public only for clipping (`torch.nn.utils.get_total_norm`), where half overflows above 65504
        found += torch._foreach_norm(some, 2, _WIDE.get(dtype))
    device = found[0].device
    whole: torch.Tensor = torch.linalg.vector_norm(
        torch.stack([one.to(device) for one in found])
    )
    return whole


def norm_in_double(tensors: Sequence[torch.Tensor]) -> float:
    """Return the same as a number that finite elements do not make infinite: a float32 norm overflows above 1.8e19."""
    parts = [float(torch.linalg.vector_norm(one.double())) for one in tensors]
    return math.hypot(*parts)


def counts(tensor: torch.Tensor) -> tuple[int, int, int]:
    """Return how many elements are NaN, +inf and -inf."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return (
        int(tensor.isnan().sum()),
        int(tensor.isposinf().sum()),
        int(tensor.isneginf().sum()),
    )
