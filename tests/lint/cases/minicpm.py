"""Contradictions of MiniCPM-V's scripts."""

from __future__ import annotations

from . import MINICPM, ZERO, Case

CASES = {
    "minicpm: use_lora with tune_llm": Case(
        files={"finetune.sh": MINICPM.format("--use_lora true --tune_vision true --tune_llm ▸true")},
        rule="lora-with-trained-base", says="cannot simultaneously adjust LLM parameters",
        fix=("--tune_llm true", "--tune_llm false"),
    ),
    "minicpm: LoRA with ZeRO-3": Case(
        files={"finetune.sh": MINICPM.format("--use_lora ▸true --tune_vision true --tune_llm false --deepspeed ds.json"),
               "ds.json": ZERO.format('"bf16": {"enabled": "auto"}').replace('"stage": 2', '"stage": 3')},
        rule="zero3-excludes", says="LoRA needs ZeRO-2", fix=('"stage": 3', '"stage": 2'), also=("ds.json",),
    ),
    "minicpm: both": Case(
        files={
            "f.sh": (
                "torchrun finetune.py --model_name_or_path m --llm_type minicpm --output_dir o --fp16 ▸true \\\n"
                " --bf16 true --tune_vision true --tune_llm true\n"
            ),
        },
        rule="both-half-dtypes", says="ValueError: At most one of fp16 and bf16 can be True, but no",
        fix=("--bf16 true", "--bf16 false"),
    ),
    "minicpm: ds": Case(
        files={
            "f.sh": (
                "torchrun finetune.py --model_name_or_path m --llm_type minicpm --output_dir o --bf16 ▸true --tune_llm true --deepspeed z2.json\n"
            ),
            "z2.json": '{\n "fp16": {"enabled": true},\n "zero_optimization": {"stage": 2}\n}',
        },
        rule="engine-contradicts-launcher", says="ValueError: Please correct the following DeepSpeed config va",
        fix=('"enabled": true', '"enabled": "auto"'),
    ),
    "minicpm: fp16 on a CPU": Case(
        files={"f.sh": MINICPM.replace("--bf16 true", "--fp16 ▸true").format("--tune_vision true")}, machine="cpu",
        severity="warning", rule="float16-on-cpu", says="float32 throughout", fix=("--fp16 true", "--fp16 false"),
    ),
}  # fmt: skip
