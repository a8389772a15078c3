"""Contradictions of quantized bases."""

from __future__ import annotations

from . import AXOLOTL, TRAINER, Case

CASES = {
    "quantized: compute dtype of the base": Case(
        files={"train.yaml": TRAINER.format("bf16: true\nload_in_4bit: true\nbnb_4bit_compute_dtype: ▸float16")},
        severity="warning", rule="quantized-base-compute-dtype", says="rounds to the other half dtype",
        fix=("float16", "bfloat16"),
    ),
    "quantized: compute dtype of the base, in code": Case(
        files={"t.py": "q = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=▸torch.bfloat16)\n"
               'a = TrainingArguments("o", fp16=True)\n'},
        severity="warning", rule="quantized-base-compute-dtype", says="rounds to the other", fix=("fp16=", "bf16="),
    ),
    "quantized: 8 bits under bf16, as LLaMA-Factory asks for it": Case(
        files={"t.sh": "llamafactory-cli train --stage sft --model_name_or_path m --dataset d --template t "
               "--finetuning_type lora --output_dir o --quantization_bit ▸8 --bf16\n"},
        severity="hint", rule="quantized-base-compute-dtype", says="cast from torch.bfloat16 to float16",
        fix=("--bf16", "--fp16"),
    ),
    "quantized: in 4 and in 8 bits": Case(
        files={"c.yaml": AXOLOTL.format("adapter: lora\nbf16: auto\nload_in_4bit: ▸true\nload_in_8bit: true")},
        rule="quantizers-mixed", says="only one can be used", fix=("load_in_8bit: true", "load_in_8bit: false"),
    ),
    "quantized: bnb bf16 on t4": Case(
        files={
            "t.py": "q = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=▸torch.bfloat16)\n",
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="t4", severity="warning",
        fix=("compute_dtype=torch.bfloat16", "compute_dtype=torch.float16"),
    ),
    "quantized: in 4 and in 8 bits, in code": Case(
        files={"t.py": "q = BitsAndBytesConfig(load_in_4bit=▸True, load_in_8bit=True)\n"},
        rule="quantizers-mixed", says="only one can be used", fix=(", load_in_8bit=True", ""),
    ),
}  # fmt: skip
