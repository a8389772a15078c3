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

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..systems import minicpm


def find(run: Run) -> Iterator[Finding]:
    """pure_bf16, and MiniCPM-V's LoRA, under ZeRO-3."""
    engine = run.view("deepspeed")
    factory, mini = run.view("llamafactory"), run.view("minicpm")
    stage = engine.given("zero_optimization.stage") if engine else None
    if factory and factory.on("pure_bf16") and minicpm.zero3(factory, run):
        yield tell(
            "zero3-excludes",
            "pure_bf16 under ZeRO-3",
            [s for s in (factory.given("pure_bf16"), factory.given("deepspeed"), stage) if s],
            effect="ValueError: `pure_bf16` is incompatible with DeepSpeed ZeRO-3.",
            fixes=(Fix(title="use bf16: true instead of pure_bf16, or ZeRO-2"),),
        )
    if mini and mini.on("use_lora") and minicpm.zero3(mini, run):
        yield tell(
            "zero3-excludes",
            "use_lora under ZeRO-3",
            [s for s in (mini.given("use_lora"), mini.given("deepspeed"), stage) if s],
            effect="the script's documentation: LoRA fine-tuning supports ZeRO-2 only; the vision tower's weights are "
            "empty outside the engine",
            fixes=(Fix(title="use ds_config_zero2.json"),),
        )
