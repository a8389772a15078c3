"""OneTrainer on macOS needs every dtype to be the same.

## What
The model's weight dtypes and `train_dtype` differ, on a machine with MPS.

## Why
There OneTrainer used no autocast until July 2026, and refuses to begin.

## Example
    "train_dtype": "BFLOAT_16", "vae": {"weight_dtype": "FLOAT_32"}        # --machine m2

## Use instead
    "train_dtype": "FLOAT_32", with every weight_dtype "FLOAT_32"

## Fix safety
Not safe: which dtype to take is a matter of memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run
from ..systems import onetrainer


def find(run: Run) -> Iterator[Contradiction]:
    """Unequal dtypes on MPS."""
    view = run.view("onetrainer")
    if not view or not (
        view.text("train_device").startswith("mps") or run.on_device("mps")
    ):
        return
    train = str(view.get("train_dtype"))
    for part in [
        part for part in onetrainer.parts(view) if part.dtype not in (train, "NONE")
    ][:1]:
        yield Contradiction(
            says=f"train_dtype is {train}, {part.name} is {part.dtype}, on MPS",
            settings=(view.given("train_dtype"), part.by, view.given("train_device")),
            otherwise=view.place,
            severity="warning",
            effect=f"RuntimeError: macOS needs all dtypes to be the same.{onetrainer.UNTIL}",
            help=f"set every weight_dtype to {train}, or all of them to FLOAT_32",
        )
