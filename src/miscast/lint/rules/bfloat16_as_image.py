"""Debug images are saved from bfloat16 tensors.

## What
OneTrainer's `debug_mode` is on and `train_dtype` is BFLOAT_16.

## Why
Images are written through NumPy, which has no bfloat16.

## Example
    "train_dtype": "BFLOAT_16", "debug_mode": true

## Use instead
    "debug_mode": false

## Fix safety
Safe: only the debug images are missing.
"""

from __future__ import annotations

from ..conflict import Conflict

CONFLICTS = (
    Conflict(
        system="onetrainer",
        keys=("debug_mode", "train_dtype"),
        when=lambda s, _: s.on("debug_mode") and s.at("train_dtype", "BFLOAT_16"),
        says="debug_mode saves images, and train_dtype is BFLOAT_16",
        effect="TypeError: Got unsupported ScalarType BFloat16 (when an image is saved)",
        help="set debug_mode to false, or train_dtype to FLOAT_16 or FLOAT_32",
        source="OneTrainer modelSetup/*: _save_image goes through numpy",
        fix=("debug_mode", "false"),
    ),
)
