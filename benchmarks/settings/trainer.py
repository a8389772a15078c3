"""Transformers' Trainer: a YAML for TrainingArguments, alone, by DDP, or by accelerate's launcher with FSDP.

The weights are loaded in the dtype that `torch_dtype` says, as the Trainer's example scripts do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "Transformers Trainer", ("transformers", "accelerate", "torch")
PROGRAM = """\
import sys
from dataclasses import dataclass

import torch
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

import probe


@dataclass
class Loading:
    model_name_or_path: str = "llama"
    torch_dtype: str = "auto"
    attn_implementation: str | None = None


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return {"input_ids": torch.arange(8), "labels": torch.arange(8)}


training, loading = HfArgumentParser((TrainingArguments, Loading)).parse_yaml_file("train.yaml")
model = AutoModelForCausalLM.from_pretrained(
    loading.model_name_or_path, dtype=loading.torch_dtype, attn_implementation=loading.attn_implementation
)
probe.watch(model)
Trainer(model=model, args=training, train_dataset=Tokens()).train()
probe.tell()
"""
COMMON = (
    "model_name_or_path: llama\noutput_dir: out\nper_device_train_batch_size: 2\nmax_steps: 2\nreport_to: none\n"
    "save_strategy: 'no'\n"
)
HALVES = {"plain": "", "bf16": "bf16: true\n", "fp16": "fp16: true\n"}
WEIGHTS = {name: f"torch_dtype: {name}\n" for name in ("float32", "bfloat16", "float16")}
EXTRAS = {
    "tf32": "tf32: true\n",
    "no tf32": "tf32: false\n",
    "eager": "attn_implementation: eager\n",
    "sdpa": "attn_implementation: sdpa\n",
    "adafactor": "optim: adafactor\n",
    "sgd": "optim: sgd\nlearning_rate: 0.1\n",
    "adamw": "optim: adamw_torch\n",
    "checkpointing": "gradient_checkpointing: true\n",
    "accumulation": "gradient_accumulation_steps: 2\n",
    "neither": "fp16: false\nbf16: false\n",
}
FSDP = (
    "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 2\nnum_machines: 1\n"
    "mixed_precision: {mixed}\n"
    "fsdp_config:\n  fsdp_version: {version}\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
    "  fsdp_transformer_layer_cls_to_wrap: LlamaDecoderLayer\n"
)


def combination(name: str, yaml: str, **more: object) -> Combination:
    """One with a YAML for the Trainer, and whatever else."""
    files = {"train.py": PROGRAM, "train.yaml": COMMON + yaml, **more.pop("files", {})}  # type: ignore[dict-item]
    return Combination(family="trainer", name=name, files=files, **more)  # type: ignore[arg-type]


def grid() -> Iterator[Combination]:
    """Halves × weights, alone and by DDP; extras; machines; halves that exclude each other; FSDP by the launcher."""
    for (half, flag), (weights, dtype) in itertools.product(HALVES.items(), WEIGHTS.items()):
        yield combination(f"{half}, {weights}", flag + dtype)
        torchrun = ("torchrun", "--nproc_per_node", "2", "train.py")
        yield combination(f"{half}, {weights}, DDP", flag + dtype, command=torchrun, machine="2xa100")
    for (half, flag), (extra, text) in itertools.product(HALVES.items(), EXTRAS.items()):
        if not (flag and extra == "neither"):
            yield combination(f"{half}, {extra}", flag + text + WEIGHTS["float32"])
    for half, flag in HALVES.items():
        yield combination(f"{half}, dtype of the checkpoint", flag)
        for machine in ("v100", "t4", "cpu", "rtx4090", "h100"):
            yield combination(f"{half}, {machine}", flag + WEIGHTS["float32"], machine=machine)
        yield combination(f"{half}, use_cpu", flag + "use_cpu: true\n" + WEIGHTS["float32"])
        yield combination(f"{half}, tf32 on v100", flag + "tf32: true\n" + WEIGHTS["float32"], machine="v100")
        yield combination(f"{half}, full eval in both", flag + "fp16_full_eval: true\nbf16_full_eval: true\n")
        for version, (weights, dtype) in itertools.product((1, 2), WEIGHTS.items()):
            mixed = {"plain": "'no'"}.get(half, half)
            yield combination(
                f"{half}, {weights}, FSDP{version}", flag + dtype, machine="2xa100",
                files={"accelerate.yaml": FSDP.format(mixed=mixed, version=version)},
                command=("accelerate", "launch", "--config_file", "accelerate.yaml", "train.py"),
            )  # fmt: skip
    yield combination("both halves", "fp16: true\nbf16: true\n" + WEIGHTS["float32"])
