"""An environment variable overrides a setting.

## What
`NVIDIA_TF32_OVERRIDE=0` beside TF32 switched on, or `TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1` beside TF32 switched off;
ACCELERATE_MIXED_PRECISION beside another precision in accelerate's YAML.

## Why
The variable is read below the program: the setting says one thing, the library does another.

## Example
    export NVIDIA_TF32_OVERRIDE=0
    python train.py --tf32 True

## Use instead
    unset NVIDIA_TF32_OVERRIDE

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..system import Setting
from ..systems import torch


def find(run: Run) -> Iterator[Finding]:
    """Variables and settings that are at odds."""
    environment = run.view("environment")
    if not environment:
        return
    off, on = environment.given("NVIDIA_TF32_OVERRIDE"), environment.given("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")
    for setting in _switches(run):
        if off is not None and off.value == 0.0 and setting.value in torch.TF32_ON:
            yield _told(off, setting, "silent: cuBLAS and cuDNN use no TF32, whatever the program says")
        if on is not None and on.value is True and setting.value in torch.TF32_OFF:
            yield _told(
                on, setting, "silent: matrix products use TF32 from the start, until the program switches it off"
            )
    variable = environment.given("ACCELERATE_MIXED_PRECISION")
    file = run.view("accelerate").given("mixed_precision")
    if variable and file and file.document.origin == "file" and file.value != variable.value and variable.value:
        yield _told(variable, file, "silent: a script that is started without accelerate launch reads the variable; "
                    "accelerate launch sets it anew from the file")  # fmt: skip


def _switches(run: Run) -> Iterator[Setting]:
    for view in run.views:
        for key in ("tf32", "allow_tf32"):
            setting = view.given(key) if key in view.system.by_name else None
            if setting is not None:
                yield setting
    yield from torch.tf32_switches(run.view("torch"))


def _told(variable: Setting, setting: Setting, effect: str) -> Finding:
    return tell(
        "environment-overrides-setting",
        f"{variable.name}={variable.entry.text} overrides {setting.name} {setting.entry.text}".rstrip(),
        [variable, setting],
        severity="warning",
        effect=effect,
        fixes=(Fix(title=f"drop the variable, or set {setting.name} as it says"),),
    )
