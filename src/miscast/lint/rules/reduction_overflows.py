"""Gradients are reduced in a dtype that cannot hold them.

## What
`communication_data_type: fp16` beside bf16, `reduce_dtype=torch.float16` of FSDP beside bfloat16 or float32
parameters.

## Why
A sum over ranks of bfloat16 gradients leaves float16's range: the result is infinite on every rank, with no grad
scaler that would skip the step.

## Example
    "bf16": {"enabled": true}, "communication_data_type": "fp16"

## Use instead
    "communication_data_type": "fp32"

## Fix safety
Safe: float32 holds every bfloat16 number; twice the bytes are sent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import calls
from ..conflict import Conflict
from ..contradiction import Contradiction
from ..run import Run
from ..setting import named_dtype

_EFFECT = "silent: sums above 65504 become infinite on every rank"

CONFLICTS = (
    Conflict(
        system="deepspeed",
        keys=("communication_data_type", "bf16.enabled"),
        severity="warning",
        when=lambda s, _: (
            s.text("communication_data_type") == "fp16" and s.on("bf16.enabled")
        ),
        says="bf16 gradients are reduced in fp16",
        effect=_EFFECT,
        help='set communication_data_type to "fp32"',
        source="deepspeed/runtime/config.py, 0.19.8",
        fix=("communication_data_type", '"fp32"'),
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """FSDP policies that reduce in float16 what is not float16."""
    for view in calls(run):
        param, reduce = view.given("param_dtype"), view.given("reduce_dtype")
        if param is None or reduce is None or named_dtype(reduce.value) != "float16":
            continue
        if (own := named_dtype(param.value)) in ("bfloat16", "float32"):
            yield Contradiction(
                says=f"parameters are {own}, gradients are reduced in float16",
                settings=(reduce, param),
                severity="warning",
                effect=_EFFECT,
                help="reduce_dtype=torch.float32",
            )
