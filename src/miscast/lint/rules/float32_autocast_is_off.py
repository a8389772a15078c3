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

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..setting import named_dtype
from ..systems import onetrainer
from ..view import View

_EFFECT = (
    "silent: In CPU autocast, but the target dtype is not supported. Disabling autocast. Half weights then raise "
    "mat1 and mat2 must have the same dtype"
)


def find(run: Run) -> Iterator[Finding]:
    """float32 autocast, in code and by OneTrainer's train_dtype."""
    library = run.view("torch")
    for document in library.documents:
        if document.name.endswith("autocast"):
            view = View(library.system, (document,))
            device = "cpu" if ".cpu." in document.name else view.text("device_type")
            setting = view.given("dtype")
            if setting and device in ("cpu", "mps", "xpu") and named_dtype(setting.value) == "float32":
                yield tell(
                    "float32-autocast-is-off",
                    f"autocast on {device} to float32 switches itself off",
                    [setting],
                    severity="warning",
                    effect=_EFFECT,
                    fixes=(Fix(title="drop the autocast, and cast the model: model.float()"),),
                )
    view = run.view("onetrainer")
    if view and view.at("train_dtype", "FLOAT_32", "TFLOAT_32") and _off_cuda(view, run):
        halves = [(p, s) for p, (v, s) in onetrainer.weights(view).items() if v in onetrainer.HALF]
        if halves:
            part, setting = halves[0]
            yield tell(
                "float32-autocast-is-off",
                f"train_dtype is {view.get('train_dtype')} and {part} has half weights, off CUDA",
                [s for s in (view.given("train_dtype"), setting, view.given("train_device")) if s],
                effect="autocast to float32 disables itself there: RuntimeError: mat1 and mat2 must have the "
                "same dtype, "
                "but got Float and Half",
                fixes=(Fix(title="set the weights to FLOAT_32, or train_dtype to the weights' dtype"),),
            )


def _off_cuda(view: View, run: Run) -> bool:
    device = view.text("train_device")
    return not device.startswith("cuda") or (run.machine is not None and run.machine.device != "cuda")
