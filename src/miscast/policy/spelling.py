"""Short names <-> policies: "bf16-mixed" as Lightning has it, "params=float32,compute=bfloat16,output=float32" as jmp.

Sources: lightning/fabric/connector.py (2.6) for the short names, jmp's `get_policy` (0.0.4) for the others.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ..dtypes import parse
from .policy import DTYPES, Policy, PolicyError

NAMES: Mapping[str, Policy] = {
    "64-true": Policy(param_dtype="float64", compute_dtype="float64"),
    "32-true": Policy(param_dtype="float32", compute_dtype="float32"),
    "16-true": Policy(param_dtype="float16", compute_dtype="float16"),
    "bf16-true": Policy(param_dtype="bfloat16", compute_dtype="bfloat16"),
    "16-mixed": Policy(param_dtype="float32", compute_dtype="float16"),
    "bf16-mixed": Policy(param_dtype="float32", compute_dtype="bfloat16"),
}
"""`true`: weights and forward in one dtype. `mixed`: float32 weights, forward in an autocast region."""

_TWO_MEANINGS = {"16": "16", "fp16": "16", "bf16": "bf16"}
_KEYS = {
    **dict.fromkeys(("params", "param", "p", "param_dtype"), "param_dtype"),
    **dict.fromkeys(("compute", "c", "compute_dtype"), "compute_dtype"),
    **dict.fromkeys(("output", "o", "output_dtype"), "output_dtype"),
    **dict.fromkeys(("reduce", "reduce_dtype"), "reduce_dtype"),
    **dict.fromkeys(("buffers", "buffer", "buffer_dtype"), "buffer_dtype"),
}


def parsed(text: str) -> Policy:
    """The policy that a text names. Raises PolicyError, with the nearest name."""
    words = text.strip()
    if words in NAMES:
        return NAMES[words]
    if "=" in words:
        return _assignments(words)
    if words.lower() in _TWO_MEANINGS:
        short = _TWO_MEANINGS[words.lower()]
        raise PolicyError(
            f"{words!r} has two meanings: write {short}-true (weights and forward) or {short}-mixed (float32 weights)"
        )
    try:
        dtype = parse(words)
    except ValueError:
        near = difflib.get_close_matches(words.lower(), NAMES, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(NAMES)}, and params=…,compute=…,output=…"
        raise PolicyError(f"{text[:40]!r} is not a policy: {hint}") from None
    return Policy(param_dtype=dtype, compute_dtype=dtype)


def spelled(policy: Policy) -> str:
    """The short name of a policy, or its dtypes in jmp's way; overrides are counted."""
    bare = Policy(**{field: getattr(policy, field) for field in DTYPES})
    text = next((name for name, named in NAMES.items() if named == bare), None)
    if text is None:
        words = {"param_dtype": "params", "buffer_dtype": "buffers"}
        pairs = ((words.get(field, field.removesuffix("_dtype")), getattr(policy, field)) for field in DTYPES)
        text = ",".join(f"{word}={dtype}" for word, dtype in pairs if dtype)
    count = len(policy.overrides)
    return f"{text} with {count} override{'s' if count > 1 else ''}" if count else text


def _assignments(text: str) -> Policy:
    found: dict[str, str] = {}
    for part in text.split(","):
        key, _, value = (word.strip() for word in part.partition("="))
        field = _KEYS.get(key)
        if field is None:
            near = difflib.get_close_matches(key, _KEYS, n=1)
            hint = f"did you mean {near[0]}?" if near else "known are params, compute, output, reduce and buffers"
            raise PolicyError(f"{key[:40]!r} is no part of a policy: {hint}")
        if field in found:
            raise PolicyError(f"{key} stands twice in {text[:80]!r}")
        found[field] = value
    return Policy(**found, overrides=())
