"""sd-scripts' full half training needs the same mixed precision.

## What
`full_fp16` is on without `mixed_precision="fp16"`, or `full_bf16` without `mixed_precision="bf16"`.

## Why
The scripts assert it: the weights are cast to the dtype of `mixed_precision`.

## Example
    full_fp16 = true
    mixed_precision = "bf16"

## Use instead
    full_bf16 = true
    mixed_precision = "bf16"

## Fix safety
Not safe: which of the two was meant is not known.
"""

from __future__ import annotations

from ..conflict import Conflict, When
from ..run import Run
from ..view import View


def _without(half: str) -> When:
    def when(view: View, _: Run) -> bool:
        overruled = half == "bf16" and view.on("full_fp16")
        return (
            view.on(f"full_{half}")
            and not overruled
            and view.text("mixed_precision") not in ("", half)
        )

    return when


CONFLICTS = tuple(
    Conflict(
        system="kohya",
        keys=(f"full_{half}", "mixed_precision"),
        when=_without(half),
        says=f"full_{half} is on, mixed_precision is {{1}}",
        effect=f"AssertionError: full_{half} requires mixed precision='{half}'",
        help=f'set mixed_precision = "{half}"',
        source="sd-scripts train_network.py, sdxl_train.py: assert args.mixed_precision == …",
    )
    for half in ("fp16", "bf16")
)
