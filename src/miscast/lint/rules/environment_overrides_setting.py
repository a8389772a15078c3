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

from ..contradiction import Contradiction
from ..run import Run
from ..system import Setting
from ..systems import torch

_NO_TF32 = "silent: cuBLAS and cuDNN use no TF32, whatever the program says"
_TF32 = (
    "silent: matrix products use TF32 from the start, until the program switches it off"
)
_READ_FIRST = (
    "silent: a script that is started without accelerate launch reads the variable; accelerate launch sets it anew "
    "from the file"
)


def find(run: Run) -> Iterator[Contradiction]:
    """Variables and settings that are at odds."""
    environment = run.view("environment")
    off, on = (
        environment.given("NVIDIA_TF32_OVERRIDE"),
        environment.given("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"),
    )
    for setting in _switches(run):
        if off is not None and off.value == 0.0 and setting.value in torch.TF32_ON:
            yield _overridden(off, setting, _NO_TF32)
        if on is not None and on.value is True and setting.value in torch.TF32_OFF:
            yield _overridden(on, setting, _TF32)
    yield from _accelerate(environment.given("ACCELERATE_MIXED_PRECISION"), run)


def _accelerate(variable: Setting | None, run: Run) -> Iterator[Contradiction]:
    file = run.view("accelerate").given("mixed_precision")
    if (
        variable is None
        or not variable.value
        or file is None
        or file.document.origin != "file"
    ):
        return
    if file.value != variable.value:
        yield _overridden(variable, file, _READ_FIRST)


def _switches(run: Run) -> Iterator[Setting]:
    settings = (view.given(key) for view in run.views for key in ("tf32", "allow_tf32"))
    yield from filter(None, settings)
    yield from torch.tf32_switches(run.view("torch"))


def _overridden(variable: Setting, setting: Setting, effect: str) -> Contradiction:
    return Contradiction(
        says=f"{variable.name}={variable.entry.text} overrides {setting.name} {setting.entry.text}".rstrip(),
        settings=(variable, setting),
        severity="warning",
        effect=effect,
        help=f"drop the variable, or set {setting.name} as it says",
    )
