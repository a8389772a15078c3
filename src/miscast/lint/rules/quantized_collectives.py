"""ZeRO++ quantizes what is sent, and its kernels read float16.

## What
`zero_quantized_gradients` of ZeRO-3 where gradients are sent in bfloat16 or float32; `zero_quantized_weights` or
`zero_quantized_nontrainable_weights` with bfloat16.

## Why
The kernels take whatever memory they are given for float16. DeepSpeed 0.19.8 converts weights before, and back to
their own dtype; gradients, and all that 0.19.5 quantizes, it hands over as they are. Gradients are quantized between
nodes only.

## Example
    "zero_quantized_gradients": true, "bf16": {"enabled": true}

## Use instead
    "zero_quantized_gradients": false

## Fix safety
Not safe: more bytes are sent, which was to be saved.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..deciding import on
from ..run import Run
from ..setting import named_dtype
from ..system import Setting
from ..systems import accelerate

_GRADIENTS = "zero_optimization.zero_quantized_gradients"
_WEIGHTS = (
    "zero_optimization.zero_quantized_weights",
    "zero_optimization.zero_quantized_nontrainable_weights",
)
_MISREAD = (
    "silent: between nodes, the kernel takes the memory of {dtype} gradients for float16, and the numbers are wrong; "
    "on one node, nothing is quantized"
)
_CONVERTED = (
    "before DeepSpeed 0.19.8 silent: bfloat16 is read as float16, and the numbers are wrong, or RuntimeError: "
    "expected scalar type Half but found BFloat16; since, weights are rounded to float16 on their way"
)


def find(run: Run) -> Iterator[Contradiction]:
    """Quantized gradients that are not float16, and, of the older versions, quantized weights."""
    engine = run.view("deepspeed")
    if engine.number("zero_optimization.stage") != 3:
        return
    half, wire = _bfloat16(run), engine.given("communication_data_type")
    dtype = named_dtype(wire.value) if wire else "bfloat16" if half else ""
    gradients = on(engine, _GRADIENTS)
    if gradients and dtype in ("bfloat16", "float32"):
        yield Contradiction(
            says=f"zero_quantized_gradients is on, and gradients are sent in {dtype}",
            settings=(gradients, wire or half),
            severity="warning",
            effect=_MISREAD.format(dtype=dtype),
            help="set zero_quantized_gradients to false, or train in fp16",
        )
    weights = on(engine, *_WEIGHTS)
    if weights and half:
        yield Contradiction(
            says=f"{weights.key.name.rpartition('.')[2]} is on with bfloat16",
            settings=(weights, half),
            severity="hint",
            effect=_CONVERTED,
            help="use DeepSpeed 0.19.8 or later, or set it to false",
        )


def _bfloat16(run: Run) -> Setting | None:
    """The setting that makes the engine's weights bfloat16: its own, or what fills its "auto"."""
    engine = run.view("deepspeed")
    own = engine.given("bf16.enabled")
    if own is None or own.value is True:
        return own
    filling = (on(view, "bf16") for view in run.trainers)
    launched = accelerate.mixed(run.view("accelerate"), run)
    outer = launched.by if launched.value == "bfloat16" else None
    return next(filter(None, filling), outer) if own.value == "auto" else None
