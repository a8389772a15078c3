"""kohya's sd-scripts, as they are typed: `accelerate launch train_network.py …`; SD 1.5 and SDXL, LoRA and whole."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from combination import Combination

TITLE, CHECKOUTS = "kohya sd-scripts", ("sd-scripts",)
PACKAGES = ("accelerate", "transformers", "diffusers", "bitsandbytes", "prodigyopt", "torch")
PROGRAM = """\
import functools
import runpy
import sys

import probe

script, sys.argv = sys.argv[1], sys.argv[1:]
sys.path.insert(0, "sd-scripts")
from library import original_unet, sdxl_model_util, sdxl_original_unet
from networks import lora

# the scripts' own U-Nets, of fewer and narrower levels
original_unet.BLOCK_OUT_CHANNELS = (320, 640)
original_unet.LAYERS_PER_BLOCK, original_unet.LAYERS_PER_BLOCK_UP = 1, 2
original_unet.DOWN_BLOCK_TYPES = ["CrossAttnDownBlock2D", "DownBlock2D"]
original_unet.UP_BLOCK_TYPES = ["UpBlock2D", "CrossAttnUpBlock2D"]
sdxl_original_unet.MODEL_CHANNELS, sdxl_original_unet.TIME_EMBED_DIM = 64, 256
sdxl_model_util.DIFFUSERS_SDXL_UNET_CONFIG |= {
    "block_out_channels": [64, 128, 256], "attention_head_dim": [1, 2, 4], "transformer_layers_per_block": 1,
}
deep = sdxl_original_unet.Transformer2DModel.__init__
sdxl_original_unet.Transformer2DModel.__init__ = lambda *given, **named: deep(
    *given, **named | {"num_transformer_layers": 1}
)
made = lora.create_network


# a network of LoRA layers is never called as a whole: it is looked at when the U-Net is
@functools.wraps(made)
def create_network(multiplier, dim, alpha, vae, text_encoder, unet, **named):
    network = made(multiplier, dim, alpha, vae, text_encoder, unet, **named)
    watched = probe.watch(network, "network")
    unet.register_forward_pre_hook(lambda *_: watched.begins())
    return network


lora.create_network = create_network
runpy.run_path(f"sd-scripts/{script}", run_name="__main__")
"""
MODELS = {
    "UNet2DConditionModel": "unet", "SdxlUNet2DConditionModel": "unet", "Encoder": "vae",
    "CLIPTextModel": "text encoder", "CLIPTextModelWithProjection": "text encoder",
}  # fmt: skip
_COMMON = (
    "--train_data_dir", "cats", "--resolution", "64", "--output_dir", "out", "--tokenizer_cache_dir", "tokenizers",
    "--max_train_steps", "2", "--max_data_loader_n_workers", "0", "--train_batch_size", "1",
)  # fmt: skip
_LORA = ("--network_module", "networks.lora", "--network_dim", "16")
_ROWS = ("--in_json", "cats/captions.json", "--train_data_dir", "cats/1_cat", "--cache_latents")


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script, the model that it trains, and what it needs to be told."""

    model: str
    told: tuple[str, ...] = ()


SCRIPTS = {
    "train_network.py": Script(model="sd15", told=_LORA),
    "sdxl_train_network.py": Script(model="sdxl-small", told=_LORA),
    "train_db.py": Script(model="sd15"),
    "fine_tune.py": Script(model="sd15", told=_ROWS),
    "sdxl_train.py": Script(model="sdxl-small"),
}
MIXED = ("no", "fp16", "bf16")
FULL = {"fp16": "--full_fp16", "bf16": "--full_bf16"}
NETWORK = ("train_network.py", "sdxl_train_network.py")
OPTIMIZERS = ("AdamW8bit", "Adafactor", "Prodigy", "Lion", "SGDNesterov", "PagedAdamW8bit", "AdamWScheduleFree")
OPTIONS = {
    "train_network.py": (
        ("--network_train_unet_only",), ("--sdpa",), ("--xformers",), ("--mem_eff_attn",),
        ("--gradient_checkpointing", "--network_train_unet_only"), ("--cache_latents",), ("--no_half_vae",),
        ("--fp8_base",), ("--fp8_base_unet",),
    ),
    "sdxl_train_network.py": (
        ("--network_train_unet_only",), ("--no_half_vae",), ("--fp8_base",), ("--fp8_base_unet",),
        ("--network_train_unet_only", "--cache_text_encoder_outputs"),
    ),
    "train_db.py": (("--stop_text_encoder_training", "-1"), ("--sdpa",)),
    "fine_tune.py": (("--train_text_encoder",), ("--sdpa",)),
    "sdxl_train.py": (("--train_text_encoder", "--learning_rate_te2", "0"), ("--no_half_vae",), ("--cache_latents",)),
}  # fmt: skip


def combination(name: str, script: str, *own: str, launcher: tuple[str, ...] = (), machine: str = "a100",
                toml: str = "") -> Combination:  # fmt: skip
    """A script with options of its own and of the launcher."""
    what = SCRIPTS[script]
    options = ("--pretrained_model_name_or_path", what.model, *_COMMON, *what.told, *own)
    files = {"config.toml": toml} if toml else {}
    options = (*options, *(("--config_file", "config.toml") if toml else ()))
    launch = ("accelerate", "launch", *launcher)
    return Combination(
        family="by_kohya", name=f"{script.removesuffix('.py')}, {name}", files=files, models=MODELS, machine=machine,
        command=(*launch, "run.py", script, *options), typed=" ".join((*launch, script, *options)),
        harness={"run.py": PROGRAM}, needs=(what.model, "cats", "tokenizers"), checkouts=("sd-scripts",),
    )  # fmt: skip


def _halves() -> Iterator[Combination]:
    """Every script × half, also by the launcher alone; full halves, right and wrong."""
    for script, half in itertools.product(SCRIPTS, MIXED):
        yield combination(half, script, "--mixed_precision", half)
    for script, (half, flag) in itertools.product(SCRIPTS, FULL.items()):
        if (script, half) not in (("train_db.py", "bf16"), ("fine_tune.py", "bf16")):
            yield combination(f"{half}, {flag}", script, "--mixed_precision", half, flag)
    for script in ("train_network.py", "sdxl_train.py"):
        yield combination("fp16, --full_bf16", script, "--mixed_precision", "fp16", "--full_bf16")
        yield combination("no, --full_fp16", script, "--mixed_precision", "no", "--full_fp16")
    for half in MIXED:
        yield combination(f"{half} of the launcher", NETWORK[0], launcher=("--mixed_precision", half))


def _others() -> Iterator[Combination]:
    """Options that decide a dtype, a kernel or what is trained; a TOML; machines."""
    for script, many in OPTIONS.items():
        for options in many:
            yield combination(f"bf16, {' '.join(options)}", script, "--mixed_precision", "bf16", *options)
    for script, option in itertools.product(NETWORK, ("--no_half_vae", "--fp8_base")):
        yield combination(f"fp16, {option}", script, "--mixed_precision", "fp16", option)
    full = ("--full_fp16", "--network_train_unet_only")
    yield combination(f"fp16, {' '.join(full)}", NETWORK[0], "--mixed_precision", "fp16", *full)
    for option in ("--fp8_base", "--fp8_base_unet"):
        yield combination(f"no, {option}", NETWORK[0], "--mixed_precision", "no", option)
    for half, flag in FULL.items():
        own = ("--mixed_precision", half)
        yield combination(f"{half}, {flag}, fp8_base", NETWORK[0], *own, flag, "--fp8_base")
        toml = f'output_name = "cats"\nsave_precision = "fp16"\nmixed_precision = "{half}"\n'
        yield combination(f"{half} in a TOML", NETWORK[0], toml=toml)
        yield combination(f"{half}, {flag} in a TOML", NETWORK[0], toml=f"{toml}{flag[2:]} = true\n")
        for machine in ("v100", "cpu"):
            yield combination(f"{half}, {machine}", NETWORK[0], *own, machine=machine)


def _optimizers() -> Iterator[Combination]:
    """Optimizers, and how many dimensions make a state that bitsandbytes quantizes."""
    for optimizer in OPTIMIZERS:
        yield combination(f"bf16, {optimizer}", NETWORK[0], "--mixed_precision", "bf16", "--optimizer_type", optimizer)
    for optimizer in OPTIMIZERS[:3]:
        full = ("--mixed_precision", "bf16", "--full_bf16", "--optimizer_type", optimizer)
        yield combination(f"bf16, --full_bf16, {optimizer}", "sdxl_train.py", *full)
    for optimizer in ("AdamW8bit", "Prodigy"):
        yield combination(f"fp16, {optimizer}", NETWORK[0], "--mixed_precision", "fp16", "--optimizer_type", optimizer)
    eight = ("--mixed_precision", "bf16", "--optimizer_type", "AdamW8bit")
    for dim in ("4", "8", "32"):
        yield combination(f"bf16, AdamW8bit, dim {dim}", NETWORK[0], *eight, "--network_dim", dim)
    yield combination("bf16, --full_bf16, AdamW8bit", NETWORK[0], *eight, "--full_bf16")
    yield combination("bf16, --use_8bit_adam", "train_db.py", "--mixed_precision", "bf16", "--use_8bit_adam")


def grid() -> Iterator[Combination]:
    """All of them."""
    yield from _halves()
    yield from _others()
    yield from _optimizers()
