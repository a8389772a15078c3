"""TRL's SFT, DPO and GRPO trainers, with their configurations in code; whole models and peft's adapters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "TRL", ("trl", "transformers", "accelerate", "peft", "torch")
PROGRAM = """\
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import {method}Config, {method}Trainer

import probe

model = AutoModelForCausalLM.from_pretrained("llama", torch_dtype=torch.{weights})
tokenizer = AutoTokenizer.from_pretrained("llama")
data = load_dataset("json", data_files="{data}/train.jsonl", split="train")
args = {method}Config(
    output_dir="out", max_steps=2, per_device_train_batch_size=2, report_to="none", save_strategy="no", {settings}
)
trainer = {method}Trainer(
    model=model, args=args, train_dataset=data, processing_class=tokenizer, {more}
)
probe.watch(trainer.model, {parts})
trainer.train()
probe.tell()
"""
_REWARD = "lambda completions, **_: [1.0] * len(completions)"
METHODS = {
    "SFT": ("chats", "max_length=32", ""),
    "DPO": ("choices", "max_length=32, beta=0.1", ""),
    "GRPO": ("prompts", "num_generations=2, max_completion_length=4", f"reward_funcs={_REWARD},"),
}
HALVES = {
    "unset": "", "bf16": "bf16=True,", "fp16": "fp16=True,", "no bf16": "bf16=False,",
    "fp16, no bf16": "bf16=False, fp16=True,", "both": "bf16=True, fp16=True,",
}  # fmt: skip
WEIGHTS = ("float32", "bfloat16", "float16")


def combination(name: str, method: str, half: str, weights: str, *, lora: bool = False, **more: object) -> Combination:
    """One with all its settings in code."""
    data, own, reward = METHODS[method]
    adapter = 'peft_config=LoraConfig(target_modules=["q_proj"]),' if lora else ""
    program = PROGRAM.format(
        method=method, weights=weights, data=data, settings=f"{half} {own}", more=f"{reward} {adapter}",
        parts="probe.ADAPTED" if lora else '"model"',
    )  # fmt: skip
    return Combination(family="by_trl", name=name, files={"train.py": program}, needs=("llama", data), **more)  # type: ignore[arg-type]


def grid() -> Iterator[Combination]:
    """Method × half × weights; adapters; machines; two ranks."""
    for method, (name, half), weights in itertools.product(METHODS, HALVES.items(), WEIGHTS):
        if method == "SFT" or weights == "float32" or name in ("unset", "bf16"):
            yield combination(f"{method}, {name}, {weights}", method, half, weights)
    for method, (name, half), weights in itertools.product(("SFT", "DPO"), HALVES.items(), WEIGHTS):
        if name != "both" and (method == "SFT" or weights == "bfloat16"):
            yield combination(f"{method}, LoRA, {name}, {weights}", method, half, weights, lora=True)
    for (name, half), machine in itertools.product(HALVES.items(), ("cpu", "v100")):
        yield combination(f"SFT, {name}, {machine}", "SFT", half, "float32", machine=machine)
    for name, half in HALVES.items():
        torchrun = ("torchrun", "--nproc_per_node", "2", "train.py")
        yield combination(f"SFT, {name}, DDP", "SFT", half, "float32", machine="2xa100", command=torchrun)
