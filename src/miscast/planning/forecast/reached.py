"""Shares of the data sheets' peaks that kernels reach, and the host's time to launch one.

Medians of benchmarks/gpu/kernels.py on one NVIDIA H200 with torch 2.11 (benchmarks/gpu/kernels-h200.jsonl, of calls
that last 30 µs and more); docs/plan.md holds them against whole steps on another GPU. Of other makes they are a guess.
"""

from __future__ import annotations

from collections.abc import Mapping

LEAST = 2.1e-6
"""Seconds that a kernel lasts which has next to nothing to do."""
CALL, RECORDED = 19e-6, 43e-6
"""Seconds of the host for a call, without autograd and with it: the fastest small models of that file, whose kernels
are done long before the next is called. The second has the backward pass's own share in it."""

_WIDE, _TF32, _HALF = "float32", "tf32", "half"
_PRODUCTS = {
    "matmul": {_WIDE: 0.70, _TF32: 0.64, _HALF: 0.72},
    "attention": {_WIDE: 0.52, _TF32: 0.52, _HALF: 0.27},
    "convolution": {_WIDE: 0.41, _TF32: 0.41, _HALF: 0.36},
}
_UNEVEN = {_WIDE: 0.61, _TF32: 0.20, _HALF: 0.11}
_MOVES = {
    "elementwise and others": (0.85, 0.75),
    "optimizer": (0.85, 0.75),
    "copies and casts": (0.40, 0.40),
    "normalization": (0.55, 0.35),
}
"""Shares of the bandwidth: float32, narrower dtypes."""


def products(peak: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """Return operations per second by kind and dtype."""
    return {
        (kind, dtype): rate * shares[_class(dtype)]
        for kind, shares in _PRODUCTS.items()
        for dtype, rate in peak.items()
    }


def uneven(peak: Mapping[str, float]) -> dict[str, float]:
    """Return operations per second by dtype, for sizes that tensor cores cannot use directly."""
    return {dtype: rate * _UNEVEN[_class(dtype)] for dtype, rate in peak.items()}


def moves(bandwidth: float) -> dict[tuple[str, str], float]:
    """Return bytes per second by kind, for float32 and for narrower dtypes ("")."""
    return {
        (kind, dtype): bandwidth * share
        for kind, both in _MOVES.items()
        for dtype, share in zip((_WIDE, ""), both, strict=True)
    }


def _class(dtype: str) -> str:
    return dtype if dtype in (_WIDE, _TF32) else _WIDE if dtype == "float64" else _HALF
