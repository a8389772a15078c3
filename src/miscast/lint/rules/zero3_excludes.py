"""ZeRO-3 excludes what is trained beside it.

## What
LLaMA-Factory's `pure_bf16` with ZeRO-3; MiniCPM-V's `use_lora` with ZeRO-3.

## Why
ZeRO-3 partitions parameters while they are loaded. LLaMA-Factory refuses pure bfloat16 there; MiniCPM-V's script
gathers the base's parameters outside the engine.

## Example
    pure_bf16: true
    deepspeed: ds_z3_config.json

## Use instead
    bf16: true
    deepspeed: ds_z3_config.json

## Fix safety
Safe for pure_bf16: masters become float32.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..systems.transformers import zero3

_STAGE = "deepspeed:zero_optimization.stage"

CONFLICTS = (
    Conflict(
        system="llamafactory",
        keys=("pure_bf16", "deepspeed", _STAGE),
        when=lambda s, run: s.on("pure_bf16") and zero3(s, run),
        says="pure_bf16 under ZeRO-3",
        effect="ValueError: `pure_bf16` is incompatible with DeepSpeed ZeRO-3.",
        help="use bf16: true instead of pure_bf16, or ZeRO-2",
        source="llamafactory/hparams/parser.py",
    ),
    Conflict(
        system="minicpm",
        keys=("use_lora", "deepspeed", _STAGE),
        when=lambda s, run: s.on("use_lora") and zero3(s, run),
        says="use_lora under ZeRO-3",
        effect="the script's documentation: LoRA fine-tuning supports ZeRO-2 only; the vision tower's weights are "
        "empty outside the engine",
        help="use ds_config_zero2.json",
        source="MiniCPM-V finetune/, its documentation",
    ),
)
