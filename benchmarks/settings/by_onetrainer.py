"""OneTrainer: a config.json for `python scripts/train.py --config-path config.json`, in OneTrainer's own folder."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from combination import Combination

TITLE, CHECKOUTS = "OneTrainer", ("OneTrainer",)
PACKAGES = ("diffusers", "transformers", "accelerate", "bitsandbytes", "torch")
PROGRAM = """\
import runpy
import sys

import probe
from torch import nn

sys.path[:0] = ["scripts", ".", "src"]
from modules.module.LoRAModule import LoRAModuleWrapper
from modules.util import create

made, optimizer = LoRAModuleWrapper.__init__, create.create_optimizer


# LoRA layers and embeddings are no part of a module that is called: they are looked at when the model is
def build(self, orig_module, *given, **named):
    made(self, orig_module, *given, **named)
    watched = probe.watch(nn.ModuleList(self.lora_modules.values()), "lora")
    orig_module.register_forward_pre_hook(lambda *_: watched.begins())


def create_optimizer(groups, state, config, *given):
    named = zip(groups.unique_name_mapping, groups.parameters_for_optimizer(config))
    vectors = [vector for name, group in named if name.startswith("embeddings") for vector in group["params"]]
    if vectors:
        # they are plain tensors, which ParameterList would copy
        holder = nn.Module()
        holder._parameters = {str(number): vector for number, vector in enumerate(vectors)}
        probe.watch(holder, "embedding").begins()
    stepping = optimizer(groups, state, config, *given)
    # some step by functions of OneTrainer's own
    if stepping is not None:
        probe.stepped_by(stepping)
    return stepping


LoRAModuleWrapper.__init__, create.create_optimizer = build, create_optimizer
runpy.run_path("scripts/train.py", run_name="__main__")
"""
MODELS = {
    "UNet2DConditionModel": "unet", "Encoder": "vae", "CLIPTextModel": "text_encoder",
    "CLIPTextModelWithProjection": "text_encoder_2",
}  # fmt: skip
COMMON: dict[str, Any] = {
    "__version": 11, "base_model_name": "sd15", "model_type": "STABLE_DIFFUSION_15", "workspace_dir": "work",
    "cache_dir": "cache", "concept_file_name": "concepts.json", "resolution": "64", "epochs": 1, "batch_size": 1,
    "tensorboard": False, "aspect_ratio_bucketing": False, "latent_caching": False, "dataloader_threads": 1,
    "backup_before_save": False, "output_model_destination": "models/out",
    "sample_definition_file_name": "samples.json",
}  # fmt: skip
CONCEPTS = json.dumps([{"__version": 2, "name": "cats", "path": "cats/1_cat", "text": {"prompt_source": "filename"}}])
HALVES = ("FLOAT_32", "FLOAT_16", "BFLOAT_16", "TFLOAT_32")
METHODS = ("FINE_TUNE", "LORA", "EMBEDDING")
SD, XL = ("unet", "text_encoder", "vae"), ("unet", "text_encoder", "text_encoder_2", "vae")


def weights(dtype: str, parts: tuple[str, ...] = SD, **other: str) -> dict[str, Any]:
    """All parts in one dtype, but some."""
    return {part: {"weight_dtype": other.get(part, dtype)} for part in parts}


def combination(name: str, method: str, *settings: dict[str, Any], machine: str = "a100") -> Combination:
    """One configuration."""
    saved = {"FINE_TUNE": "DIFFUSERS", "LORA": "KOHYA_LORA"}.get(method, "SAFETENSORS")
    config = COMMON | {"training_method": method, "output_model_format": saved}
    for more in settings:
        config |= more
    files = {"config.json": json.dumps(config, indent=4)}
    arguments = ("--config-path", "config.json")
    return Combination(
        family="by_onetrainer", name=f"{method}, {name}", files=files, models=MODELS, machine=machine,
        harness={"run.py": PROGRAM, "concepts.json": CONCEPTS, "samples.json": "[]"},
        command=("python", "run.py", *arguments), typed=" ".join(("python", "scripts/train.py", *arguments)),
        needs=(str(config["base_model_name"]), "cats"),
        checkouts=("OneTrainer/modules", "OneTrainer/scripts", "OneTrainer/resources", "mgds/src"),
    )  # fmt: skip


def _halves() -> Iterator[Combination]:
    """Method × training dtype × weights; the VAE and what is trained in dtypes of their own."""
    for method, train in itertools.product(METHODS, HALVES[:3]):
        base = {"train_dtype": train}
        for held in HALVES[:3] if method != "EMBEDDING" else (train,):
            yield combination(f"{train}, weights {held}", method, base, weights(held))
        yield combination(f"{train}, weights FLOAT_16, VAE FLOAT_32", method, base, weights("FLOAT_16", vae="FLOAT_32"))
    for method in METHODS[:2]:
        yield combination("TFLOAT_32, weights TFLOAT_32", method, {"train_dtype": "TFLOAT_32"}, weights("TFLOAT_32"))
        yield combination("TFLOAT_32, weights BFLOAT_16", method, {"train_dtype": "TFLOAT_32"}, weights("BFLOAT_16"))
        fall = {"train_dtype": "FLOAT_16", "fallback_train_dtype": "FLOAT_32"}
        yield combination("fallback FLOAT_32", method, fall, weights("FLOAT_16"))
    for method, key in (("LORA", "lora_weight_dtype"), ("EMBEDDING", "embedding_weight_dtype")):
        for train, held in (("BFLOAT_16", "BFLOAT_16"), ("FLOAT_16", "FLOAT_16")):
            yield combination(f"{train}, {key} {held}", method, {"train_dtype": train, key: held}, weights(train))


def _others() -> Iterator[Combination]:
    """Optimizers and rounding; SDXL; quantized parts; what is not said; machines."""
    for name in ("ADAMW", "ADAFACTOR", "ADAMW_8BIT", "PRODIGY", "LION", "SGD"):
        optimizer = {"optimizer": {"optimizer": name, "stochastic_rounding": True, "block_wise": True}}
        bfloat16 = ({"train_dtype": "BFLOAT_16"}, weights("BFLOAT_16"), optimizer)
        yield combination(f"BFLOAT_16, {name}", "FINE_TUNE", *bfloat16)
    whole, bfloat16 = {"optimizer": {"optimizer": "ADAMW_8BIT"}}, {"train_dtype": "BFLOAT_16"}
    yield combination("BFLOAT_16, not by blocks", "FINE_TUNE", bfloat16, weights("BFLOAT_16"), whole)
    plain = {"optimizer": {"optimizer": "ADAMW", "stochastic_rounding": False}}
    yield combination("BFLOAT_16, no rounding", "FINE_TUNE", {"train_dtype": "BFLOAT_16"}, weights("BFLOAT_16"), plain)
    for method, train in itertools.product(METHODS, HALVES[1:3]):
        large = {"model_type": "STABLE_DIFFUSION_XL_10_BASE", "base_model_name": "sdxl-small", "train_dtype": train}
        yield combination(f"SDXL, {train}", method, large, weights(train, XL, vae="FLOAT_32"))
    for method, dtype in itertools.product(METHODS[1::-1], ("FLOAT_8", "INT_8", "NFLOAT_4", "FLOAT_W8A8", "INT_W8A8")):
        quantized = weights("BFLOAT_16", unet=dtype)
        if method == "LORA" or dtype == "FLOAT_8":
            yield combination(f"BFLOAT_16, unet {dtype}", method, {"train_dtype": "BFLOAT_16"}, quantized)
    for method in METHODS:
        yield combination("nothing said", method)
        yield combination("text encoder not trained", method, {"text_encoder": {"train": False}})
    for train, machine in itertools.product(HALVES[1:3], ("v100", "h100")):
        yield combination(f"{train}, {machine}", "LORA", {"train_dtype": train}, weights(train), machine=machine)


def grid() -> Iterator[Combination]:
    """All of them."""
    yield from _halves()
    yield from _others()
