"""Parts of a half model are raised to float32, and no autocast reconciles them.

## What
LLaMA-Factory's `upcast_layernorm` or `upcast_lmhead_output`, or a vision tower with float32 images, with `pure_bf16`.

## Why
Pure bfloat16 trains without autocast: a float32 norm hands float32 to a bfloat16 linear layer, float32 pixel values
meet a bfloat16 convolution.

## Example
    pure_bf16: true
    upcast_layernorm: true

## Use instead
    bf16: true
    upcast_layernorm: true

## Fix safety
Safe: under bf16 the trained parameters are float32.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..view import View

_LINEAR = (
    "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16"
)
_VISION = (
    "_vl", "llava", "pixtral", "internvl", "intern_vl", "minicpm_v", "mllama",
    "paligemma", "gemma3", "qwen2_omni",
)  # fmt: skip


def _images(view: View, _: Run) -> bool:
    template = next(
        (
            str(e.value)
            for d in view.documents
            for e in d.entries
            if e.path == "template" and isinstance(e.value, str)
        ),
        "",
    )
    pure = view.on("pure_bf16") and view.off("bf16")
    return (
        pure
        and view.at("stage", "dpo")
        and view.at("finetuning_type", "lora")
        and any(v in template for v in _VISION)
    )


CONFLICTS = (
    Conflict(
        system="llamafactory",
        keys=("upcast_layernorm", "pure_bf16"),
        severity="warning",
        when=lambda s, _: (
            s.on("pure_bf16") and s.on("upcast_layernorm") and s.off("bf16")
        ),
        says="upcast_layernorm with pure_bf16, for a checkpoint in bfloat16",
        effect=_LINEAR,
        help="use bf16: true instead of pure_bf16",
        source="llamafactory/model/model_utils/checkpointing.py prepare_model_for_training, 0.9.5",
    ),
    Conflict(
        system="llamafactory",
        keys=("pure_bf16", "stage"),
        severity="warning",
        when=_images,
        says="pure_bf16 with images: the vision tower is bfloat16, pixel_values are float32",
        effect="RuntimeError: Input type (float) and bias type (c10::BFloat16) should be the same",
        help="use bf16: true, whose autocast converts them",
        source="LLaMA-Factory, DPO LoRA of vision models",
    ),
)
