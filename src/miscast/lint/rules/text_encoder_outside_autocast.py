"""A half text encoder runs outside autocast.

## What
sd-scripts' `full_fp16` with a text encoder that is not trained (`network_train_unet_only`) and whose outputs are not
cached.

## Why
The encoder's hidden state is normed outside the autocast region: a float32 norm meets half weights.

## Example
    full_fp16 = true
    mixed_precision = "fp16"
    network_train_unet_only = true

## Use instead
    mixed_precision = "fp16"
    network_train_unet_only = true

## Fix safety
Safe: without the full flag, weights and gradients are float32.
"""

from __future__ import annotations

from ..conflict import Conflict

CONFLICTS = (
    Conflict(
        system="kohya",
        keys=("full_fp16", "network_train_unet_only"),
        severity="warning",
        when=lambda s, _: (
            s.on("full_fp16")
            and s.at("mixed_precision", "fp16")
            and s.on("network_train_unet_only")
            and s.off("cache_text_encoder_outputs")
        ),
        says="full_fp16 with a text encoder that is not trained",
        effect="RuntimeError: expected scalar type Float but found Half (the layer norm of a hidden state, run outside "
        "autocast)",
        help="cache the text encoder's outputs, or train without full_fp16",
        source="sd-scripts library/train_util.py get_hidden_states",
    ),
)
