"""Every dtype is the same half, so that the trainer switches autocast off.

## What
All `weight_dtype`s of an OneTrainer model and its `train_dtype` are FLOAT_16, or all are BFLOAT_16.

## Why
Until July 2026 OneTrainer used autocast only where dtypes differ. Without it, every float32 tensor that meets a half
weight raises: the mask that is made for images without one, the erosion kernel of inpainting samples, the noise
schedule before the VAE's decoder. A float32 VAE keeps autocast on, and hides them all.

## Example
    "train_dtype": "FLOAT_16",
    "unet": {"weight_dtype": "FLOAT_16"}, "vae": {"weight_dtype": "FLOAT_16"}, …,
    "masked_training": true

## Use instead
    "vae": {"weight_dtype": "FLOAT_32"}

## Fix safety
Safe: the VAE takes twice the memory, and no number gets worse.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction, replaced
from ..deciding import on
from ..run import Run
from ..system import Setting
from ..systems import onetrainer
from ..view import View

_CAT = (
    "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and {half} "
    "(in the first Linear of the UNet)"
)
_ERODE = (
    "RuntimeError: Input type (torch.cuda.{half}Tensor) and weight type (torch.cuda.FloatTensor) should be the same "
    "(the erosion kernel, when sampling)"
)
_DECODE = (
    "RuntimeError: Input type (float) and bias type (c10::{half}) should be the same "
    "(the VAE's decoder, when sampling)"
)
_CAUGHT = {
    "masks": (_CAT, ", and masked_training makes float32 masks for images without one"),
    "inpainting": (_ERODE, ", and inpainting samples erode the mask in float32"),
    "": (_DECODE, ""),
}
"""What meets a half weight in float32, and what the finding says of it."""


def find(run: Run) -> Iterator[Contradiction]:
    """Autocast that is off because all dtypes agree."""
    view = run.view("onetrainer")
    dtype = onetrainer.uniform(view) if view and not view.open else ""
    if dtype not in onetrainer.HALF:
        return
    vae, masks, inpainting = (
        view.given("vae.weight_dtype"),
        on(view, "masked_training"),
        _inpainting(view),
    )
    kind = "masks" if masks else "inpainting" if inpainting else ""
    text, met = _CAUGHT[kind]
    yield Contradiction(
        says=f"every weight and train_dtype are {dtype}, so autocast may be off{met}",
        settings=(
            view.given("train_dtype"),
            vae,
            view.given("weight_dtype"),
            masks,
            inpainting,
        ),
        otherwise=view.place,
        severity="warning",
        effect=text.format(half="Half" if dtype == "FLOAT_16" else "BFloat16")
        + onetrainer.UNTIL,
        help='set vae.weight_dtype to "FLOAT_32": autocast stays on',
        edit=replaced(vae, '"FLOAT_32"')
        if vae and vae.entry.text == f'"{dtype}"'
        else None,
        safe=True,
    )


def _inpainting(view: View) -> Setting | None:
    """The setting that makes it a model that inpaints."""
    return view.given("model_type") if "inpaint" in view.text("model_type") else None
