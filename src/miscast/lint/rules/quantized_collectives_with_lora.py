"""ZeRO++ quantizes what is sent, and LoRA's bfloat16 parameters do not take it.

## What
`zero_quantized_weights`, `zero_quantized_gradients` or `zero_quantized_nontrainable_weights` with bfloat16 and an
adapter.

## Why
The kernels of ZeRO++ read float16. DeepSpeed 0.19.8 converts weights before, and back to their own dtype; gradients,
and all that 0.19.5 quantizes, it hands over as they are.

## Example
    "zero_quantized_weights": true, "bf16": {"enabled": true}           # with LoRA

## Use instead
    "zero_quantized_weights": false

## Fix safety
Safe: what is sent is no longer rounded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ..calls import calls
from ..contradiction import Contradiction, replaced
from ..deciding import on
from ..run import Run
from ..system import Setting

_KEYS = (
    "zero_quantized_weights",
    "zero_quantized_gradients",
    "zero_quantized_nontrainable_weights",
)


def find(run: Run) -> Iterator[Contradiction]:
    """Quantized collectives beside a bfloat16 adapter."""
    adapter = _adapter(run)
    if not _bfloat16(run) or not (
        adapter or any(calls(run, "LoraConfig", "get_peft_model"))
    ):
        return
    engine = run.view("deepspeed")
    quantized = (
        (key, setting)
        for key in _KEYS
        if (setting := on(engine, f"zero_optimization.{key}"))
    )
    for key, setting in itertools.islice(quantized, 1):
        yield Contradiction(
            says=f"{key} is on with bfloat16 and LoRA",
            settings=(setting, adapter),
            severity="warning",
            effect="silent: DeepSpeed 0.19.5 reads bfloat16 as float16, and the numbers are wrong, or RuntimeError: "
            "expected scalar type Half but found BFloat16; 0.19.8 reads gradients so, and rounds weights to float16",
            help=f"set {key} to false",
            edit=replaced(setting, "false"),
            safe=True,
        )


def _bfloat16(run: Run) -> bool:
    return run.view("deepspeed").on("bf16.enabled") or any(
        on(view, "bf16") for view in run.trainers
    )


def _adapter(run: Run) -> Setting | None:
    """The setting of a trainer that asks for an adapter."""
    keys = ("use_peft", "use_lora", "adapter", "finetuning_type")
    settings = (view.given(key) for view in run.trainers for key in keys)
    return next(
        (
            s
            for s in settings
            if s is not None and s.value not in (False, None, "full", "freeze", "")
        ),
        None,
    )
