"""Contradictions of CogVLM and SAT."""

from __future__ import annotations

from . import ZERO, Case

CASES = {
    "sat: no dtype flag": Case(
        files={"demo.sh": "▸python cli_demo_sat.py --from_pretrained cogagent-chat --version chat\n"},
        rule="no-dtype-flag", says="Input type (c10::Half) and bias type (float) should be the same",
        fix=("--version chat", "--version chat --bf16"),
    ),
    "sat: both flags": Case(
        files={"demo.sh": "python cli_demo_sat.py --from_pretrained cogagent-chat ▸--fp16 --bf16\n"},
        rule="both-half-dtypes", says="Input type (c10::BFloat16) and bias type (c10::Half)",
        fix=(" --bf16", ""),
    ),
    "sat: ZeRO stage > 0 without a flag forces fp16": Case(
        files={"ft.sh": "torchrun finetune_cogvlm_demo.py --experiment-name x --mode finetune --zero-stage ▸2\n"},
        severity="warning", rule="setting-overridden", says="Automatically set fp16=True",
        fix=("--zero-stage 2", "--zero-stage 2 --fp16"),
    ),
    "sat: deepspeed_config overrides the flags": Case(
        files={"ft.sh": "deepspeed finetune_cogvlm_demo.py --experiment-name x --mode finetune ▸--bf16 --deepspeed "
               "--deepspeed_config ds.json\n", "ds.json": ZERO.format('"fp16": {"enabled": true}')},
        severity="warning", rule="setting-overridden", says="Will override arguments",
        fix=('"fp16": {"enabled": true}', '"bf16": {"enabled": true}'), also=("ds.json",),
    ),
    "sat: four processes without a flag": Case(
        files={"d.sh": "torchrun --standalone --nnodes=1 --nproc-per-node=4 ▸cli_demo_sat.py --from_pretrained cogagent-vqa\n"},
        rule="no-dtype-flag", says="bias type (float)", fix=("cogagent-vqa", "cogagent-vqa --fp16"),
    ),
    "sat: both flags in training": Case(
        files={
            "f.sh": (
                "deepspeed finetune_cogvlm_demo.py --experiment-name x --model-parallel-size 1 --mode finetune --train-iters 10 ▸--fp16 \\\n"
                " --bf16\n"
            ),
        },
        rule="both-half-dtypes", says="AssertionError: cannot specify both fp16 and bf16.",
        fix=("--fp16", ""),
    ),
    "sat: a quantized base without a flag": Case(
        files={"demo.sh": "▸python cli_demo_sat.py --from_pretrained cogvlm-chat --quant 4\n"},
        rule="no-dtype-flag", says="bias type (float)", fix=("--quant 4", "--quant 4 --fp16"),
    ),
    "sat: both flags in an evaluation": Case(
        files={"e.sh": "deepspeed evaluate_cogvlm_demo.py --mode inference ▸--fp16 --bf16\n"},
        rule="both-half-dtypes", says="AssertionError: cannot specify both fp16 and bf16.", fix=(" --fp16", ""),
    ),
    "sat: a quantized base in bfloat16": Case(
        files={"d.sh": "python cli_demo_sat.py --from_pretrained cogvlm-chat --quant 4 ▸--bf16\n"},
        rule="quantization-excludes", says="c10::BFloat16 != c10::Half", fix=("--bf16", "--fp16"),
    ),
}  # fmt: skip
