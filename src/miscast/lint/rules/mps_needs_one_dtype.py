"""OneTrainer on macOS needs every dtype to be the same.

## What
The model's weight dtypes and `train_dtype` differ, on a machine with MPS.

## Why
There OneTrainer uses no autocast, and refuses to begin.

## Example
    "train_dtype": "BFLOAT_16", "vae": {"weight_dtype": "FLOAT_32"}        # --machine m2

## Use instead
    "train_dtype": "FLOAT_32", with every weight_dtype "FLOAT_32"

## Fix safety
Not safe: which dtype to take is a matter of memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..systems import onetrainer


def find(run: Run) -> Iterator[Finding]:
    """Unequal dtypes on MPS."""
    view = run.view("onetrainer")
    if not view:
        return
    on_mps = view.text("train_device").startswith("mps") or (run.machine is not None and run.machine.device == "mps")
    train = str(view.get("train_dtype"))
    odd = [(p, v, s) for p, (v, s) in onetrainer.weights(view).items() if v not in (train, "NONE")]
    if on_mps and odd:
        part, value, setting = odd[0]
        yield tell(
            "mps-needs-one-dtype",
            f"train_dtype is {train}, {part} is {value}, on MPS",
            [s for s in (view.given("train_dtype"), setting, view.given("train_device")) if s],
            otherwise=view.place,
            effect="RuntimeError: macOS needs all dtypes to be the same.",
            fixes=(Fix(title=f"set every weight_dtype to {train}, or all of them to FLOAT_32"),),
        )
