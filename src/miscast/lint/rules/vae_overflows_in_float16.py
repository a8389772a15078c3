"""A VAE that overflows in float16 is run in float16.

## What
SDXL's VAE in float16: SimpleTuner's `vae_dtype=fp16`; OneTrainer's `vae.weight_dtype` FLOAT_16, or FLOAT_16 as the
fallback of FLOAT_16; sd-scripts' SDXL scripts with fp16 and without `no_half_vae`.

## Why
The activations of SDXL's VAE exceed 65504: images become black, latents NaN, and a cache of them stays so. The
repaired VAE (sdxl-vae-fp16-fix) does not.

## Example
    "model_family": "sdxl", "vae_dtype": "fp16"

## Use instead
    "vae_dtype": "bf16"

## Fix safety
Safe: bfloat16 and float32 have the range.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..systems import kohya
from ..view import View

_EFFECT = "silent: infinities in the VAE's activations; black images, NaN latents, also in the cache"


def _sdxl(view: View) -> bool:
    return "stable_diffusion_xl" in view.text("model_type") and not view.given(
        "vae.model_name"
    )


def _sdxl_script(view: View, _: Run) -> bool:
    half = view.at("mixed_precision", "fp16") and view.off("no_half_vae")
    return half and kohya.is_model(view, "sdxl") and view.given("vae") is None


CONFLICTS = (
    Conflict(
        system="simpletuner",
        keys=("vae_dtype", "model_family"),
        when=lambda s, _: (
            s.at("vae_dtype", "fp16") and s.at("model_family", "sdxl", "kolors")
        ),
        says="the VAE of {1} in fp16",
        effect="ValueError: fp16 is not supported for SDXL's VAE. Please use bf16 or fp32. (older versions go on, with "
        "infinities in the VAE's activations)",
        help="set vae_dtype to bf16 or fp32",
        source="huggingface.co/madebyollin/sdxl-vae-fp16-fix; SimpleTuner helpers/models/common.py, 3.1.6",
    ),
    Conflict(
        system="onetrainer",
        keys=("fallback_train_dtype", "train_dtype", "model_type"),
        severity="warning",
        when=lambda s, _: (
            _sdxl(s)
            and s.at("train_dtype", "FLOAT_16")
            and s.at("fallback_train_dtype", "FLOAT_16")
        ),
        says="SDXL's VAE computes in FLOAT_16: train_dtype and fallback_train_dtype are both FLOAT_16",
        effect=_EFFECT,
        help='set fallback_train_dtype to "BFLOAT_16", its default',
        fix=("fallback_train_dtype", '"BFLOAT_16"'),
        source="OneTrainer modules/util/dtype_util.py disable_fp16_autocast_context",
    ),
    Conflict(
        system="onetrainer",
        keys=("vae.weight_dtype", "model_type"),
        severity="warning",
        when=lambda s, _: _sdxl(s) and s.at("vae.weight_dtype", "FLOAT_16"),
        says="SDXL's VAE in FLOAT_16",
        effect=f"{_EFFECT}, wherever it runs outside OneTrainer's fallback to BFLOAT_16",
        help='set vae.weight_dtype to "FLOAT_32"',
        fix=("vae.weight_dtype", '"FLOAT_32"'),
        source="huggingface.co/madebyollin/sdxl-vae-fp16-fix",
    ),
    Conflict(
        system="kohya",
        keys=("mixed_precision",),
        severity="warning",
        when=_sdxl_script,
        says="SDXL's VAE in fp16: no_half_vae is off",
        effect="RuntimeError: NaN detected in latents; or silent: NaN latents in the cache",
        help="give --no_half_vae, or --vae with the repaired VAE",
        source="sd-scripts library/sdxl_train_util.py, docs/train_SDXL-en.md",
    ),
)
