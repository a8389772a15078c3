"""sd-scripts' DeepSpeed and mixed precision: bfloat16 meets float32.

## What
`deepspeed` of sd-scripts with `mixed_precision`, without the full flag of the same dtype.

## Why
The engine casts the model, the script's own autocast and its float32 inputs do not follow.

## Example
    deepspeed = true
    mixed_precision = "bf16"

## Use instead
    deepspeed = true
    mixed_precision = "bf16"
    full_bf16 = true

## Fix safety
Not safe: weights become half.
"""

from __future__ import annotations

from ..conflict import Conflict

CONFLICTS = (
    Conflict(
        system="kohya",
        keys=("deepspeed", "mixed_precision"),
        severity="warning",
        when=lambda s, _: (
            s.on("deepspeed")
            and (
                (s.at("mixed_precision", "bf16") and s.off("full_bf16"))
                or (s.at("mixed_precision", "fp16") and s.off("full_fp16"))
            )
        ),
        says="deepspeed with mixed_precision {1}",
        effect="RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16 (inputs stay float32, "
        "the engine's weights are half)",
        help="switch full_bf16 (full_fp16) on, or deepspeed off",
        source="sd-scripts library/deepspeed_utils.py, issues on DeepSpeed and mixed precision",
    ),
)
