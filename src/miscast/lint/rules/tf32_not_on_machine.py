"""TF32 is switched on for a machine that has none.

## What
`tf32: true` of the Trainer, `allow_tf32`, OneTrainer's TFLOAT_32, or torch's switches, on a GPU before Ampere,
or off CUDA.

## Why
The Trainer refuses; torch's own switches have no effect.

## Example
    tf32: true                                           # --machine v100

## Use instead
    tf32: false

## Fix safety
Safe: nothing changes but the refusal.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run
from ..system import Setting
from ..systems import torch

_RAISES = "ValueError: --tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7"
_OFF = {"True": "False", '"TFLOAT_32"': '"FLOAT_32"'}
_SILENT = "silent: the switch has no effect, products stay in float32"


def find(run: Run) -> Iterator[Finding]:
    """TF32 where it does not exist."""
    machine = run.machine
    if machine is None or machine.support("tf32") == "native":
        return
    for view in run.views:
        for key in ("tf32", "allow_tf32"):
            setting = view.given(key) if key in view.system.by_name else None
            if setting is not None and (setting.value is True or str(setting.value).lower() == "true"):
                effect = _SILENT if key == "allow_tf32" else _RAISES
                yield _told(setting, machine.name, effect)
    trainer = run.view("onetrainer")
    setting = trainer.given("train_dtype") if trainer else None
    if setting is not None and setting.value == "TFLOAT_32":
        yield _told(setting, machine.name, _SILENT)
    for setting in torch.tf32_switches(run.view("torch")):
        if setting.value in torch.TF32_ON:
            yield _told(setting, machine.name, _SILENT)


def _told(setting: Setting, machine: str, effect: str) -> Finding:
    off = _OFF.get(setting.entry.text, "false")
    edit = replaced(setting.entry.at, off) if not setting.entry.flag else None
    return tell(
        "tf32-not-on-machine",
        f"{setting.name} is {setting.entry.text or 'on'}, {machine} has no TF32",
        [setting],
        severity="error" if effect == _RAISES else "warning",
        effect=effect,
        fixes=(Fix(title="switch it off", safe=edit is not None, edits=(edit,) if edit else ()),),
    )
