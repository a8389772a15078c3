"""The precisions that a program can be compared with, by any spelling. No torch."""

from __future__ import annotations

from ...core.dtypes import parse

PRECISIONS = ("float64", "float32", "bfloat16", "float16")


def canonical(name: str) -> str:
    """Return the canonical name of a dtype: bfloat16 for bf16. Raises ValueError."""
    try:
        known = parse(name)
    except ValueError:
        known = name
    if known not in PRECISIONS:
        raise ValueError(
            f"{name[:40]!r} is not a precision to compare with: use fp64, fp32, bf16 or fp16"
        )
    return known
