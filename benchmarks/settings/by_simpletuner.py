"""SimpleTuner: a config/config.json for `simpletuner train`, which starts the package's train.py."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from combination import Combination

TITLE = "SimpleTuner"
PACKAGES = ("simpletuner", "diffusers", "transformers", "accelerate", "peft", "optimum-quanto", "torchao", "torch")
PROGRAM = """\
import runpy
import shutil
import subprocess
import sys
import traceback

asked, told = subprocess.check_output, traceback.format_exc


# how much memory there is: it asks a program that is not here
def check_output(command, *given, **named):
    return b"81920\\n" if command[0] == "nvidia-smi" else asked(command, *given, **named)


# train.py prints what ends it, and ends well
def format_exc(*given, **named):
    if sys._getframe(1).f_globals.get("__name__") == "__main__":
        raise sys.exc_info()[1]
    return told(*given, **named)


# it keeps what it knows of pictures beside them
shutil.copytree("cats", "pictures")
subprocess.check_output, traceback.format_exc = check_output, format_exc
runpy.run_module("simpletuner.train", run_name="__main__")
"""
COMMON: dict[str, Any] = {
    "model_family": "sdxl", "pretrained_model_name_or_path": "sdxl-small",
    "pretrained_vae_model_name_or_path": "sdxl-small",
    "data_backend_config": "config/backend.json", "output_dir": "out", "max_train_steps": 1, "num_train_epochs": 0,
    "train_batch_size": 1, "resolution": 64, "resolution_type": "pixel", "minimum_image_size": 0,
    "aspect_bucket_rounding": 2, "lora_rank": 4, "lr_scheduler": "constant", "lr_warmup_steps": 0, "seed": 1,
    "disable_benchmark": True, "vae_cache_ondemand": True, "validation_disable": True,
    "report_to": "none", "checkpoint_step_interval": 1000,
    "learning_rate": 1e-4, "dataloader_prefetch": False, "max_workers": 1, "write_batch_size": 1,
    "read_batch_size": 1, "image_processing_batch_size": 1, "torch_num_threads": 1, "vae_batch_size": 1,
}  # fmt: skip
BACKEND = json.dumps([
    {"id": "cats", "type": "local", "instance_data_dir": "pictures", "caption_strategy": "instanceprompt",
     "instance_prompt": "a cat", "crop": True, "crop_aspect": "square", "crop_style": "center", "resolution": 64,
     "resolution_type": "pixel", "minimum_image_size": 0, "cache_dir_vae": "cache/vae", "repeats": 10},
    {"id": "text", "type": "local", "dataset_type": "text_embeds", "default": True, "cache_dir": "cache/text"},
])  # fmt: skip


def combination(name: str, kind: str, *, machine: str = "a100", **settings: Any) -> Combination:
    """One configuration."""
    config = COMMON | {"model_type": kind} | settings
    return Combination(
        family="by_simpletuner", name=f"{kind}, {name}", machine=machine, needs=("sdxl-small", "cats"),
        files={"config/config.json": json.dumps(config, indent=4)},
        harness={"run.py": PROGRAM, "config/backend.json": BACKEND},
        command=("python", "run.py"), typed="simpletuner train",
        models={"UNet2DConditionModel": "base model" if kind == "lora" else "model", "Encoder": "vae"},
    )  # fmt: skip


def _halves() -> Iterator[Combination]:
    """What is trained × mixed precision; optimizers."""
    for kind, mixed in itertools.product(("full", "lora"), ("no", "fp16", "bf16")):
        yield combination(f"{mixed}, torch-adamw", kind, mixed_precision=mixed, optimizer="torch-adamw")
    for optimizer in ("adamw_bf16", "optimi-stableadamw", "prodigy", "ao-adamw8bit"):
        yield combination(f"bf16, {optimizer}", "lora", mixed_precision="bf16", optimizer=optimizer)
    # not with float32 weights: 3.1.6 makes those of LoRA layers bfloat16, and lint tells of versions that refuse them
    yield combination("fp16, adamw_bf16", "lora", mixed_precision="fp16", optimizer="adamw_bf16")


def _others() -> Iterator[Combination]:
    """Quantized bases, the VAE, what changes gradients, machines."""
    half: dict[str, Any] = {"mixed_precision": "bf16", "optimizer": "torch-adamw"}
    # torchao's alone: a U-Net's convolutions quantized by quanto 0.2.7 were not brought to run
    for default in ("bf16", "fp32"):
        own = half | {"base_model_precision": "int8-torchao", "base_model_default_dtype": default}
        yield combination(f"bf16, int8-torchao, {default}", "lora", **own)
    for name, settings in {
        "quantized": {"base_model_precision": "int8-quanto"},
        "gradients fp32": {"gradient_precision": "fp32"},
        "average": {"use_ema": True, "ema_device": "accelerator"},
    }.items():
        yield combination(f"bf16, {name}", "full", **half, **settings)
    for name, settings in {
        "VAE fp32": {"vae_dtype": "fp32"}, "VAE fp16": {"vae_dtype": "fp16"}, "no TF32": {"disable_tf32": True},
        "checkpointing": {"gradient_checkpointing": True}, "nothing said": {},
    }.items():  # fmt: skip
        own = half if settings else {}
        yield combination(f"bf16, {name}", "lora", **own, **settings)


def grid() -> Iterator[Combination]:
    """All of them."""
    yield from _halves()
    yield from _others()
