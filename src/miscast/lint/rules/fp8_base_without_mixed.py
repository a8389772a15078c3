"""A float8 base needs half precision to compute in.

## What
`fp8_base` of sd-scripts is on while `mixed_precision` is `no`.

## Why
float8 weights are converted before each product; without autocast there is nothing that would do it. The script
asserts it.

## Example
    fp8_base = true
    mixed_precision = "no"

## Use instead
    fp8_base = true
    mixed_precision = "bf16"

## Fix safety
Not safe: activations become bfloat16.
"""

from __future__ import annotations

from ..conflict import Conflict, When
from ..run import Run
from ..systems.kohya import own_script
from ..view import View


def _without(flag: str) -> When:
    def when(view: View, _: Run) -> bool:
        known = view.given("mixed_precision") or not view.commanded or own_script(view)
        return bool(known) and view.on(flag) and view.at("mixed_precision", "no")

    return when


CONFLICTS = tuple(
    Conflict(
        system="kohya",
        keys=(flag, "mixed_precision"),
        when=_without(flag),
        says=f"{flag} is on, mixed_precision is {{1}}",
        effect="AssertionError: fp8_base requires mixed precision='fp16' or 'bf16'",
        help='set mixed_precision = "bf16" (Ampere and later) or "fp16"',
        source="sd-scripts train_network.py",
    )
    for flag in ("fp8_base", "fp8_base_unet")
)
