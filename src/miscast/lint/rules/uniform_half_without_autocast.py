"""Every dtype is the same half, so that the trainer switches autocast off.

## What
All `weight_dtype`s of an OneTrainer model and its `train_dtype` are FLOAT_16, or all are BFLOAT_16.

## Why
OneTrainer uses autocast only where dtypes differ. Without it, every float32 tensor that meets a half weight raises:
the mask that is made for images without one, the erosion kernel of inpainting samples, the noise schedule before the
VAE's decoder. A float32 VAE keeps autocast on, and hides them all.

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

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run
from ..systems import onetrainer
from ..view import View

_CAT = (
    "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and {half} (in the first Linear of the UNet)"
)
_ERODE = (
    "RuntimeError: Input type (torch.cuda.{half}Tensor) and weight type (torch.cuda.FloatTensor) should be the same "
    "(the erosion kernel, when sampling)"
)
_DECODE = (
    "RuntimeError: Input type (float) and bias type (c10::{half}) should be the same (the VAE's decoder, when sampling)"
)
_SINCE = "; versions of 2025-12 and later keep autocast on"


def find(run: Run) -> Iterator[Finding]:
    """Autocast that is off because all dtypes agree."""
    view = run.view("onetrainer")
    if not view or view.open:
        return
    dtype = onetrainer.uniform(view)
    if dtype not in onetrainer.HALF:
        return
    vae = view.given("vae.weight_dtype")
    extra = [key for key in ("masked_training",) if view.on(key)]
    inpaint = "inpaint" in view.text("model_type")
    settings = [view.given("train_dtype"), vae, view.given("weight_dtype"), *map(view.given, extra)]
    settings += [view.given("model_type")] if inpaint else []
    edit = replaced(vae.entry.at, '"FLOAT_32"') if vae and vae.entry.text == f'"{dtype}"' else None
    fix = Fix(title='set vae.weight_dtype to "FLOAT_32": autocast stays on', safe=True, edits=(edit,) if edit else ())
    yield tell(
        "uniform-half-without-autocast",
        f"every weight and train_dtype are {dtype}, so autocast is off" + _met(extra, inpaint=inpaint),
        [setting for setting in settings if setting],
        otherwise=view.place,
        severity="error" if extra or inpaint else "warning",
        effect=_effect(view, dtype, inpaint=inpaint) + _SINCE,
        fixes=(fix,),
    )


def _met(extra: list[str], *, inpaint: bool) -> str:
    if extra:
        return ", and masked_training makes float32 masks for images without one"
    return ", and inpainting samples erode the mask in float32" if inpaint else ""


def _effect(view: View, dtype: str, *, inpaint: bool) -> str:
    half = "Half" if dtype == "FLOAT_16" else "BFloat16"
    text = _CAT if view.on("masked_training") else _ERODE if inpaint else _DECODE
    return text.format(half=half)
