"""Which data files are worth reading as configurations."""

from __future__ import annotations

_SMALL = 65_536
_WORDS = (
    "precision",
    "dtype",
    "fp16",
    "bf16",
    "float16",
    "fp8",
    "tf32",
    "zero_optimization",
    "compute_environment",
)


def worthwhile(text: str) -> bool:
    """Whether a large file that nobody named can hold a setting at all: reading data costs more than looking."""
    return len(text) < _SMALL or any(word in text for word in _WORDS)
