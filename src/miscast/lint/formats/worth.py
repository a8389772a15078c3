"""Select the data files worth reading as configurations."""

from __future__ import annotations

_SMALL = 65_536
_WORDS = (
    "precision", "dtype", "fp16", "bf16", "float16", "fp8", "tf32", "zero_optimization", "compute_environment",
)  # fmt: skip


def worthwhile(text: str) -> bool:
    """Check whether a large file that was not named may have a setting, as reading data takes longer."""
    return len(text) < _SMALL or any(word in text for word in _WORDS)
