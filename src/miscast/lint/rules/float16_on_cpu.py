"""float16 is asked of a CPU, and autocast stays off.

## What
`mixed_precision: fp16` of accelerate, or `fp16` of a program that hands it to accelerate, beside `use_cpu` or on a
machine without a GPU.

## Why
accelerate makes no autocast and no grad scaler for float16 on a CPU: everything is computed in float32. Until 2024 it
refused.

## Example
    mixed_precision: fp16
    use_cpu: true

## Use instead
    mixed_precision: bf16
    use_cpu: true

## Fix safety
Not safe: bfloat16 autocast rounds where float32 did not.
"""

from __future__ import annotations

from ..conflict import Conflict, When
from ..run import Run
from ..view import View

_EFFECT = (
    "silent: no autocast, float32 throughout; accelerate before 1.1: ValueError: fp16 mixed precision requires a GPU "
    "(not 'cpu')."
)
_SOURCE = "accelerate/accelerator.py Accelerator.__init__, 1.15.0"


def _without_gpu(view: View, run: Run) -> bool:
    named = "use_cpu" in view.system.by_name and view.on("use_cpu")
    return named or (run.machine is not None and run.machine.device == "cpu")


def _asked(key: str, value: object) -> When:
    def when(view: View, run: Run) -> bool:
        return view.get(key) == value and type(view.get(key)) is type(value) and _without_gpu(view, run)

    return when


CONFLICTS = (
    *(
        Conflict(
            system=system,
            keys=("mixed_precision", "use_cpu") if system == "accelerate" else ("mixed_precision",),
            when=_asked("mixed_precision", "fp16"),
            says="mixed_precision is fp16 on a CPU",
            effect=_EFFECT,
            severity="warning",
            help="use bf16, or a GPU",
            source=_SOURCE,
        )
        for system in ("accelerate", "kohya", "diffusers")
    ),
    *(
        Conflict(
            system=system,
            keys=("fp16", "use_cpu"),
            when=_asked("fp16", True),
            says="fp16 is on for a CPU",
            effect=_EFFECT,
            severity="warning",
            help="use bf16 with use_cpu, or a GPU",
            source=f"{_SOURCE}; transformers/trainer.py hands fp16 on, 5.23.0",
        )
        for system in ("transformers", "trl")
    ),
)
