"""A recipe does not take the dtype.

## What
torchtune's recipes with `dtype: fp16`.

## Why
The recipes train without a grad scaler, and refuse float16.

## Example
    dtype: fp16

## Use instead
    dtype: bf16

## Fix safety
Not safe: bfloat16 has fewer digits.
"""

from __future__ import annotations

from ..conflict import Conflict

CONFLICTS = (
    Conflict(
        system="torchtune",
        keys=("dtype",),
        when=lambda s, _: s.at("dtype", "fp16"),
        says="dtype: fp16 in a torchtune recipe",
        effect="ValueError: full fp16 training is not supported with this recipe. Please use bf16 or fp32 instead.",
        help="use bf16 on Ampere and later, fp32 before",
        source="torchtune recipes/*.py, 0.6.1",
    ),
    Conflict(
        system="torchtune",
        keys=("dtype", "device"),
        when=lambda s, run: (
            s.at("dtype", "bf16")
            and s.at("device", "cuda")
            and run.machine is not None
            and run.machine.device not in ("cuda", "npu")
        ),
        says="dtype: bf16 on device cuda, which the machine has not",
        effect="RuntimeError: bf16 precision was requested but not available on this hardware. "
        "Please use fp32 precision "
        "instead.",
        help="set device to what the machine has, and dtype: fp32",
        source="torchtune/training/precision.py get_dtype, 0.6.1",
    ),
)
