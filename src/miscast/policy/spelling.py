"""Short names <-> policies: "bf16-mixed" as Lightning has it, "params=float32,compute=bfloat16,output=float32" as jmp.

Sources: lightning/fabric/connector.py (2.6) for the short names, jmp's `get_policy` (0.0.4) for the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.dtypes import parse
from ..core.similar import similar
from .fields import DTYPES, PolicyError

if TYPE_CHECKING:
    from .policy import Policy

_NAMES = {
    "64-true": ("float64", "float64"), "32-true": ("float32", "float32"), "16-true": ("float16", "float16"),
    "bf16-true": ("bfloat16", "bfloat16"), "16-mixed": ("float32", "float16"),
    "bf16-mixed": ("float32", "bfloat16"),
}  # fmt: skip
"""Parameters and computation. `true`: both in one dtype. `mixed`: float32 weights, forward in an autocast region."""

_JMP = {"param_dtype": "params", "buffer_dtype": "buffers"}
_TWO_MEANINGS = {"16": "16", "fp16": "16", "bf16": "bf16"}
_KEYS = {
    **dict.fromkeys(("params", "param", "p", "param_dtype"), "param_dtype"),
    **dict.fromkeys(("compute", "c", "compute_dtype"), "compute_dtype"),
    **dict.fromkeys(("output", "o", "output_dtype"), "output_dtype"),
    **dict.fromkeys(("reduce", "reduce_dtype"), "reduce_dtype"),
    **dict.fromkeys(("buffers", "buffer", "buffer_dtype"), "buffer_dtype"),
}


def parsed(text: str) -> dict[str, str]:
    """Return the fields of the policy that a text names. Raises PolicyError, with the nearest name."""
    words = text.strip()
    if words in _NAMES:
        return _both(*_NAMES[words])
    if "=" in words:
        return _assignments(words)
    if words.lower() in _TWO_MEANINGS:
        short = _TWO_MEANINGS[words.lower()]
        raise PolicyError(
            f"{words!r} is ambiguous: write {short}-true (weights and forward) or {short}-mixed (float32 weights)"
        )
    try:
        dtype = parse(words)
    except ValueError:
        expected = f"expected {', '.join(_NAMES)}, or params=…,compute=…,output=…"
        hint = similar(words.lower(), _NAMES, expected, cutoff=0.5)
        raise PolicyError(f"{text[:40]!r} is not a policy: {hint}") from None
    return _both(dtype, dtype)


def spelled(policy: Policy) -> str:
    """Return the short name of a policy, or its dtypes in jmp's format; overrides are counted."""
    said = {field: dtype for field in DTYPES if (dtype := getattr(policy, field))}
    name = (
        short_name(policy.param_dtype, policy.compute_dtype) if len(said) == 2 else None
    )
    text = name or ",".join(
        f"{_JMP.get(field, field.removesuffix('_dtype'))}={said[field]}"
        for field in said
    )
    count = len(policy.overrides)
    return f"{text} with {count} override{'s' if count > 1 else ''}" if count else text


def short_name(param: str | None, compute: str | None) -> str | None:
    """Return the short name for parameters of one dtype and computation in another, if there is one."""
    return next(
        (name for name, pair in _NAMES.items() if pair == (param, compute)), None
    )


def _both(param: str, compute: str) -> dict[str, str]:
    return {"param_dtype": param, "compute_dtype": compute}


def _assignments(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        key, _, value = (word.strip() for word in part.partition("="))
        field = _KEYS.get(key)
        if field is None:
            expected = "expected params, compute, output, reduce or buffers"
            hint = similar(key, _KEYS, expected)
            raise PolicyError(f"{key[:40]!r} is not a part of a policy: {hint}")
        if field in found:
            raise PolicyError(f"{key} appears twice in {text[:80]!r}")
        found[field] = value
    return found
