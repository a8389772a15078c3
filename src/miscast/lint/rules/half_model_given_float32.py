"""A half model outside autocast is given float32.

## What
diffusers' `train_controlnet_sdxl.py` in fp16 or bf16, and `train_instruct_pix2pix_sdxl.py` with a `vae_precision` of
fp16 or bf16.

## Why
Only what is trained runs under autocast. The frozen UNet of the one gets text embeddings that `datasets` gives back in
float32, the VAE of the other pictures in float32: a product of the two dtypes is refused.

## Example
    accelerate launch train_controlnet_sdxl.py --mixed_precision bf16 …

## Use instead
    accelerate launch train_controlnet_sdxl.py --mixed_precision no …

## Fix safety
Safe: float32 needs twice the memory.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..systems import diffusers
from ..view import View

_HALF = ("float16", "bfloat16")


def _embeddings(view: View, run: Run) -> bool:
    script = diffusers.started(view, "train_controlnet_sdxl.py")
    return script and diffusers.mixed(view, run).value in _HALF


def _pictures(view: View, _: Run) -> bool:
    script = diffusers.started(view, "train_instruct_pix2pix_sdxl.py")
    own = view.given("pretrained_vae_model_name_or_path") is None
    return script and own and view.get("vae_precision") in ("fp16", "bf16")


CONFLICTS = (
    Conflict(
        system="diffusers",
        keys=(
            "mixed_precision",
            "accelerate:mixed_precision",
            "environment:ACCELERATE_MIXED_PRECISION",
        ),
        when=_embeddings,
        says="the frozen UNet is half, and its text embeddings come back from datasets in float32",
        effect="RuntimeError: expected mat1 and mat2 to have the same dtype, but got: float != c10::Half",
        help="cast batch['prompt_ids'] to weight_dtype in the script, or train with --mixed_precision no",
        source="diffusers examples/controlnet/train_controlnet_sdxl.py collate_fn, 0.42; raised by torch 2.13.0",
    ),
    Conflict(
        system="diffusers",
        keys=("vae_precision",),
        when=_pictures,
        says="vae_precision {0}, and the pictures are encoded in float32",
        effect="RuntimeError: Input type (float) and bias type (c10::Half) should be the same",
        help="leave vae_precision at fp32, or name a VAE that bears half: --pretrained_vae_model_name_or_path",
        source="diffusers examples/instruct_pix2pix/train_instruct_pix2pix_sdxl.py, 0.42; seen on the virtual machine",
        fix=("vae_precision", "fp32"),
    ),
)
