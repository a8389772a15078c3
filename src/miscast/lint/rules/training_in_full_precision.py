"""A large model is trained in float32 though half precision was an option.

## What
LLaMA-Factory's training with neither `bf16`, `fp16` nor `pure_bf16`.

## Why
Nothing is wrong; it is slow and takes twice the memory. LLaMA-Factory itself recommends mixed precision.

## Example
    do_train: true

## Use instead
    do_train: true
    bf16: true

## Fix safety
Not safe: half precision rounds.
"""

from __future__ import annotations

from ..conflict import Conflict

CONFLICTS = (
    Conflict(
        system="llamafactory",
        keys=("do_train",),
        severity="hint",
        when=lambda s, _: (
            s.on("do_train")
            and all(
                s.off(key) for key in ("bf16", "fp16", "pure_bf16", "fp8", "use_cpu")
            )
            and not any(
                s.below(key)
                for key in ("use_badam", "use_galore", "use_apollo", "tokenized_path")
            )
        ),
        says="training with neither bf16 nor fp16",
        effect="silent: float32; LLaMA-Factory recommends mixed precision",
        help="set bf16: true on Ampere and later, fp16: true before",
        source="llamafactory/hparams/parser.py, 0.9.5",
    ),
)
