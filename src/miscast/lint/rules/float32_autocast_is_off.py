"""Autocast to float32 switches itself off.

## What
`torch.autocast` is asked for float32 on a device that has autocast for half dtypes only, or OneTrainer's
`train_dtype` is FLOAT_32 with half weights off CUDA.

## Why
`torch.autocast("cpu", torch.float32)` warns and disables itself: half weights then meet float32 inputs.

## Example
    with torch.autocast("cpu", dtype=torch.float32): …

## Use instead
    model.float()

## Fix safety
Safe where weights become float32: it holds every half number.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import calls
from ..contradiction import Contradiction
from ..run import Run
from ..setting import named_dtype
from ..systems import onetrainer
from ..view import View

_EFFECT = (
    "silent: In CPU autocast, but the target dtype is not supported. Disabling autocast. Half weights then raise "
    "mat1 and mat2 must have the same dtype"
)


def find(run: Run) -> Iterator[Contradiction]:
    """Autocast to float32, in code and by OneTrainer's train_dtype."""
    for view in calls(run, "autocast"):
        device, setting = _device(view), view.given("dtype")
        if (
            setting
            and device in ("cpu", "mps", "xpu")
            and named_dtype(setting.value) == "float32"
        ):
            yield Contradiction(
                says=f"autocast on {device} to float32 switches itself off",
                settings=(setting,),
                severity="warning",
                effect=_EFFECT,
                help="drop the autocast, and cast the model: model.float()",
            )
    yield from _onetrainer(run)


def _device(view: View) -> str:
    return "cpu" if ".cpu." in view.documents[0].name else view.text("device_type")


def _onetrainer(run: Run) -> Iterator[Contradiction]:
    view = run.view("onetrainer")
    if (
        not view
        or not view.at("train_dtype", "FLOAT_32", "TFLOAT_32")
        or not _off_cuda(view, run)
    ):
        return
    for part in [part for part in onetrainer.parts(view) if part.half][:1]:
        yield Contradiction(
            says=f"train_dtype is {view.get('train_dtype')} and {part.name} has half weights, off CUDA",
            settings=(view.given("train_dtype"), part.by, view.given("train_device")),
            effect="autocast to float32 disables itself there: RuntimeError: mat1 and mat2 must have the same dtype, "
            "but got Float and Half",
            help="set the weights to FLOAT_32, or train_dtype to the weights' dtype",
        )


def _off_cuda(view: View, run: Run) -> bool:
    return not view.text("train_device").startswith("cuda") or run.off_device("cuda")
