"""The Trainer wants to be told that bfloat16 is for the CPU.

## What
`bf16: true`, or TRL's default, which is the same, on a machine without a GPU, without `use_cpu`; axolotl's `bf16` or
`bfloat16` there.

## Why
TrainingArguments looks for a GPU with bfloat16 and refuses if there is none.

## Example
    bf16: true                                           # --machine cpu

## Use instead
    bf16: true
    use_cpu: true

## Fix safety
Safe: nothing else changes.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..systems import axolotl
from ..systems.transformers import unasked
from ..view import View


def _without_word(view: View, run: Run) -> bool:
    return (
        run.on_device("cpu")
        and view.off("use_cpu")
        and (view.on("bf16") or view.on("bf16_full_eval") or unasked(view))
    )


_EFFECT = (
    "ValueError: Your setup doesn't support bf16/gpu. You need to assign use_cpu if you want to train the "
    "model on CPU."
)
CONFLICTS = (
    Conflict(
        system="axolotl",
        keys=("bf16", "bfloat16"),
        when=lambda s, run: (
            run.on_device("cpu") and axolotl.mixed(s, run).value == "bfloat16"
        ),
        says="bf16 on a machine without a GPU",
        effect=_EFFECT,
        help="set bf16: auto, or false",
        source="transformers/training_args.py, 5.16.1; axolotl hands it bf16 and bfloat16",
    ),
    Conflict(
        system="transformers",
        inherited=True,
        keys=("bf16", "bf16_full_eval", "use_cpu"),
        when=_without_word,
        says="bf16 on a machine without a GPU, without use_cpu",
        effect=_EFFECT,
        help="set use_cpu: true",
        source="transformers/training_args.py, 5.23.0",
    ),
    Conflict(
        system="llamafactory",
        keys=("pure_bf16",),
        when=lambda s, run: s.on("pure_bf16") and run.on_device("cpu"),
        says="pure_bf16 on a machine without a GPU",
        effect="ValueError: This device does not support `pure_bf16`.",
        help="drop pure_bf16",
        source="llamafactory/hparams/parser.py, 0.9.5",
    ),
)
