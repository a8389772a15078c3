"""The regions of Transformer Engine's FP8: what hardware their recipes need is asked of the machine.

Within one a product takes the shapes that FP8 takes, and gives the dtype that it would give without.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from types import SimpleNamespace
from typing import Any

import torch

_NEEDS = {
    "Float8BlockScaling": (
        (9, 0),
        "FP8 block scaled GEMM requires compute capability 9.0 or higher and CUDA >= 12.9.",
    ),
    "MXFP8BlockScaling": ((10, 0), "Device compute capability 10.0 or higher required for MXFP8 execution."),
    "NVFP4BlockScaling": ((10, 0), "Device compute capability 10.0 or higher required for NVFP4 execution."),
}  # fmt: skip
_ANY = (8, 9), "Device compute capability 8.9 or higher required for FP8 execution."
_regions: list[bool] = []


class Format(Enum):
    """A format of 8-bit numbers."""

    E4M3, E5M2, HYBRID, E2M1 = range(4)


@contextmanager
def autocast(
    enabled: bool = True,
    calibrating: bool = False,
    recipe: Any = None,
    *_: Any,
    **__: Any,
) -> Iterator[None]:
    """Keep FP8 enabled within the block. Raises AssertionError if the device has no FP8."""
    if enabled:
        for needed, reason in (_ANY, _NEEDS.get(type(recipe).__name__, _ANY)):
            if torch.cuda.get_device_capability() < needed:
                raise AssertionError(reason)
    _regions.append(enabled)
    try:
        yield
    finally:
        _regions.pop()


def fp8_autocast(
    enabled: bool = True,
    calibrating: bool = False,
    fp8_recipe: Any = None,
    *_: Any,
    **__: Any,
) -> Any:
    """Return its older name."""
    return autocast(enabled, calibrating, fp8_recipe)


@contextmanager
def quantized_model_init(*_: Any, **__: Any) -> Iterator[None]:
    """Keep the dtype of weights made within the block."""
    yield


def is_fp8_available(return_reason: bool = False) -> Any:
    """Check whether the device has FP8."""
    there = torch.cuda.get_device_capability() >= _ANY[0]
    return (there, "" if there else _ANY[1]) if return_reason else there


def check_shapes(*tensors: torch.Tensor) -> None:
    """Raise ValueError, within an FP8 region, for shapes that FP8's product does not take."""
    if not (_regions and _regions[-1]):
        return
    for one in tensors:
        rows = math.prod(one.shape[:-1])
        if rows % 8 or one.shape[-1] % 16:
            raise ValueError(
                "FP8 execution requires the product of all dimensions except the last to be divisible by 8 and the "
                f"last dimension to be divisible by 16, but got tensor with dims={list(one.size())} (product of "
                f"leading dims = {rows}, last dim = {one.shape[-1]})"
            )


RECIPES: dict[str, Any] = {
    "Format": Format,
    **{name: type(name, (SimpleNamespace,), {}) for name in ("DelayedScaling", "Float8CurrentScaling", *_NEEDS)},
}  # fmt: skip
"""transformer_engine.common.recipe's: ways to scale FP8, which have no dtype."""
REGIONS: dict[str, Any] = {
    "autocast": autocast, "fp8_autocast": fp8_autocast, "fp8_model_init": quantized_model_init,
    "quantized_model_init": quantized_model_init, "is_fp8_available": is_fp8_available,
}  # fmt: skip
"""transformer_engine.pytorch's."""
