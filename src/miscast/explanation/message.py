"""Describe the error in half a sentence: "linear mixes float32 `mat1` with float16 `mat2`"."""

from __future__ import annotations

from collections.abc import Sequence

from ..event import Operand

_NOUNS = {
    "dtype-mismatch": "operands of different dtypes",
    "device-mismatch": "operands on different devices",
    "unsupported-dtype": "dtype not supported here",
    "unsupported-device": "device not supported here",
    "precision-config": "conflicting precision settings",
    "grad-scaler": "gradient scaler error",
    "overflow-nan": "overflow or NaN",
    "distributed-dtype": "ranks or parameters of different dtypes",
}


def message(
    category: str, op: str, operands: Sequence[Operand], *, guessed: bool
) -> str:
    """Return an error's kind with its op and the first two operands that differ, as far as they are known."""
    told = f"{op} (most likely)" if op and guessed else op or "an op"
    mixed = _mixed(category, operands)
    if mixed:
        return f"{told} mixes {mixed}"
    return f"{told}: {_NOUNS.get(category, category)}"


def _mixed(category: str, operands: Sequence[Operand]) -> str:
    if category not in ("dtype-mismatch", "device-mismatch"):
        return ""
    first: dict[str, str] = {}
    for operand in operands:
        value = operand.device if category == "device-mismatch" else operand.dtype
        if value:
            first.setdefault(value, operand.name)
    pairs = [f"{value} `{name}`" for value, name in first.items()]
    return " with ".join(pairs[:2]) if len(pairs) > 1 else ""
