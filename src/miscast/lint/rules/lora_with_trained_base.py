"""LoRA and training of its base exclude one another.

## What
MiniCPM-V's `use_lora` with `tune_llm`, which is on by default.

## Why
The script refuses: an adapter is trained on a frozen base.

## Example
    --use_lora true --tune_llm true

## Use instead
    --use_lora true --tune_llm false

## Fix safety
Not safe: what is trained changes.
"""

from __future__ import annotations

from ..conflict import Conflict

CONFLICTS = (
    Conflict(
        system="minicpm",
        keys=("tune_llm", "use_lora"),
        when=lambda s, _: s.on("use_lora") and s.on("tune_llm"),
        says="use_lora with tune_llm",
        effect="ValueError: The model cannot simultaneously adjust LLM parameters and apply LoRA.",
        help="set tune_llm to false (its default is true)",
        source="MiniCPM-V finetune/finetune.py",
    ),
)
