"""A quantized base computes in a different dtype from the training around it."""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..deciding import on
from ..run import Run
from ..setting import named_dtype

_HALVES = {"fp16": "float16", "bf16": "bfloat16"}


def find(run: Run) -> Iterator[Contradiction]:
    """Yield compute dtypes that differ from the trainer's half dtype."""
    mixed = next(
        filter(None, (on(view, "fp16", "bf16") for view in run.trainers)), None
    )
    if mixed is None:
        return
    training = _HALVES[mixed.key.name]
    for view in (*run.trainers, run.view("torch")):
        compute = view.given("bnb_4bit_compute_dtype")
        own = named_dtype(compute.value) if compute else ""
        if own in _HALVES.values() and own != training:
            yield Contradiction(
                says=f"the quantized base computes in {own}, training in {training}",
                settings=(compute, mixed),
                severity="warning",
                effect="silent: every layer of the base rounds to the other half dtype, and loses range or digits",
                help=f"set bnb_4bit_compute_dtype to {training}",
            )
