"""Configurations with one contradiction each, as data; ▸ marks the value that the finding points to.

One file per system or kind of fault, found by discovery, with `CASES`.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Case:
    """Files, the rule that they break, a part of the effect, and the replacement that fixes them (the "must not")."""

    files: dict[str, str]
    rule: str
    says: str
    fix: tuple[str, str] | None
    machine: str | None = None
    severity: str = "error"
    also: tuple[str, ...] = field(default=())
    """Files that the other places of the finding are in."""


def sdxl(**changes: object) -> str:
    """An OneTrainer configuration of SDXL; `unet="FLOAT_16"` sets a component's weights; ▸ stays where it is given."""
    data: dict[str, object] = {
        "model_type": "STABLE_DIFFUSION_XL_10_BASE",
        "training_method": "FINE_TUNE",
        "train_dtype": "BFLOAT_16",
        "fallback_train_dtype": "BFLOAT_16",
        "output_dtype": "FLOAT_16",
        "train_device": "cuda",
        "unet": {"weight_dtype": "FLOAT_32", "train": True},
        "text_encoder": {"weight_dtype": "FLOAT_32", "train": False},
        "text_encoder_2": {"weight_dtype": "FLOAT_32", "train": False},
        "vae": {"weight_dtype": "FLOAT_32"},
        "learning_rate": 1e-4,
    }
    for name, value in changes.items():
        if name in ("unet", "text_encoder", "text_encoder_2", "vae") and isinstance(value, str):
            data[name] = {**data[name], "weight_dtype": value}  # type: ignore[dict-item]
        else:
            data[name] = value
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return text.replace('"▸', '▸"')


def uniform(dtype: str, **changes: object) -> str:
    """Every weight and the training in one dtype."""
    parts = dict.fromkeys(("unet", "text_encoder", "text_encoder_2", "vae"), dtype)
    return sdxl(**{"train_dtype": f"▸{dtype}", **parts, **changes})


SIMPLETUNER = """\
export MODEL_TYPE="lora"
export MIXED_PRECISION="bf16"
export TRAINING_NUM_PROCESSES={processes}
export GRADIENT_ACCUMULATION_STEPS={steps}
export OPTIMIZER="{optimizer}"
export TRAINER_EXTRA_ARGS="--lr_end=1e-8 --gradient_precision=▸fp32 --use_ema=false"
"""
TUNER = '{{\n  "model_family": "flux",\n  "model_type": "lora",\n  {}\n}}\n'
ACCELERATE = (
    "compute_environment: LOCAL_MACHINE\ndistributed_type: {kind}\nmixed_precision: {value}\nnum_processes: 2\n"
)
ZERO = '{{\n  "zero_optimization": {{"stage": 2}},\n  {}\n}}\n'
TRAINER = "output_dir: out\nper_device_train_batch_size: 4\nlearning_rate: 2.0e-5\n{}\n"
KOHYA = 'pretrained_model_name_or_path = "sd15.safetensors"\nnetwork_module = "networks.lora"\n{}\n'
AXOLOTL = "base_model: NousResearch/Meta-Llama-3-8B\ndatasets:\n  - path: a\n    type: alpaca\n{}\n"
FACTORY = (
    "stage: sft\ndo_train: true\nmodel_name_or_path: m\nfinetuning_type: lora\ntemplate: llama3\noutput_dir: o\n{}\n"
)
MINICPM = "torchrun --nproc_per_node=8 finetune.py --model_name_or_path m --output_dir o --bf16 true \\\n  {}\n"


def every() -> Mapping[str, Case]:
    """All cases of all files, by name; no name twice."""
    found: dict[str, Case] = {}
    for info in pkgutil.iter_modules(__path__):
        for name, case in importlib.import_module(f"{__name__}.{info.name}").CASES.items():
            assert name not in found, name
            found[name] = case
    return found
