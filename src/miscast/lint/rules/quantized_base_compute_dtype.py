"""A quantized base computes in another dtype than the training around it.

## What
`bnb_4bit_compute_dtype` float16 under bf16, or bfloat16 under fp16; LLaMA-Factory's `quantization_bit` with `fp8`, and
of 8 bits with `bf16`.

## Why
Each layer converts to the compute dtype and back: float16 loses bfloat16's range on the way, and a grad scaler cannot
help a bfloat16 product.

## Example
    bnb_4bit_compute_dtype: float16
    bf16: true

## Use instead
    bnb_4bit_compute_dtype: bfloat16
    bf16: true

## Fix safety
Not safe: products round differently.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..contradiction import Contradiction
from ..deciding import on
from ..run import Run
from ..setting import named_dtype

_HALVES = {"fp16": "float16", "bf16": "bfloat16"}

CONFLICTS = (
    Conflict(
        system="llamafactory",
        keys=("fp8", "quantization_bit"),
        when=lambda s, _: s.on("fp8") and s.number("quantization_bit") is not None,
        says="fp8 with a base of {1} bits",
        effect="ValueError: FP8 training is not compatible with quantization. Please disable one of them.",
        help="drop one of them",
        source="llamafactory/hparams/parser.py, 0.9.5",
    ),
    Conflict(
        system="llamafactory",
        keys=("quantization_bit", "quantization_method", "bf16"),
        severity="hint",
        when=lambda s, _: (
            s.on("bf16")
            and s.number("quantization_bit") == 8
            and s.at("quantization_method", "bnb")
        ),
        says="a base in 8 bits reads its inputs in float16, training is in bfloat16",
        effect="silent, but for a UserWarning: MatMul8bitLt: inputs will be cast from torch.bfloat16 to float16 during "
        "quantization; what exceeds 65504 becomes nan",
        help="fp16: true, or quantization_bit: 4",
        source="LlamaFactory#2132; bitsandbytes/autograd/_functions.py MatMul8bitLt, 0.50.2",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """Compute dtypes that differ from the trainer's half."""
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
                effect="silent: every layer of the base rounds to the other half dtype, with its range or its digits "
                "lost",
                help=f"set bnb_4bit_compute_dtype to {training}",
            )
