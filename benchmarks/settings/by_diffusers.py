"""diffusers' own training scripts, as they are typed: `accelerate launch train_text_to_image.py …`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from combination import Combination

TITLE, PACKAGES = "diffusers' scripts", ("diffusers", "accelerate", "peft", "torch")
MODELS = {
    "UNet2DConditionModel": "unet", "UNet2DModel": "unet", "FluxTransformer2DModel": "transformer",
    "SD3Transformer2DModel": "transformer", "ControlNetModel": "controlnet", "Encoder": "vae",
    "CLIPTextModel": "text encoder", "CLIPTextModelWithProjection": "text encoder", "T5EncoderModel": "text encoder",
}  # fmt: skip
_STEPS = (
    "--resolution", "32", "--train_batch_size", "2", "--max_train_steps", "2", "--output_dir", "out",
    "--dataloader_num_workers", "0", "--report_to", "all",
)  # fmt: skip
_PICTURES = ("--train_data_dir", "pictures", "--caption_column", "text", *_STEPS)
_HINTS = (
    "--train_data_dir", "pairs", "--image_column", "image", "--conditioning_image_column", "hint",
    "--caption_column", "text", *_STEPS,
)  # fmt: skip
_EDITS = (
    "--train_data_dir", "pairs", "--original_image_column", "image", "--edited_image_column", "hint",
    "--edit_prompt_column", "text", "--seed", "0", *_STEPS,
)  # fmt: skip
_WORD = (
    "--train_data_dir", "subject", "--placeholder_token", "q", "--initializer_token", "a", "--learnable_property",
    "object", *_STEPS,
)  # fmt: skip
_SUBJECT = ("--instance_data_dir", "subject", "--instance_prompt", "a cat", *_STEPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script's folder among the examples, the pipeline that it trains, and what it needs to be told."""

    folder: str
    model: str
    data: str
    told: tuple[str, ...]


SCRIPTS = {
    "train_text_to_image": Script(folder="text_to_image", model="sd", data="pictures", told=_PICTURES),
    "train_text_to_image_lora": Script(folder="text_to_image", model="sd", data="pictures", told=_PICTURES),
    "train_text_to_image_sdxl": Script(folder="text_to_image", model="sdxl", data="pictures", told=_PICTURES),
    "train_text_to_image_lora_sdxl": Script(folder="text_to_image", model="sdxl", data="pictures", told=_PICTURES),
    "train_dreambooth": Script(folder="dreambooth", model="sd", data="subject", told=_SUBJECT),
    "train_dreambooth_lora": Script(folder="dreambooth", model="sd", data="subject", told=_SUBJECT),
    "train_dreambooth_lora_sdxl": Script(folder="dreambooth", model="sdxl", data="subject", told=_SUBJECT),
    "train_dreambooth_flux": Script(folder="dreambooth", model="flux", data="subject", told=_SUBJECT),
    "train_dreambooth_lora_flux": Script(folder="dreambooth", model="flux", data="subject", told=_SUBJECT),
    "train_dreambooth_sd3": Script(folder="dreambooth", model="sd3", data="subject", told=_SUBJECT),
    "train_dreambooth_lora_sd3": Script(folder="dreambooth", model="sd3", data="subject", told=_SUBJECT),
    "train_controlnet": Script(folder="controlnet", model="sd", data="pairs", told=_HINTS),
    "train_controlnet_sdxl": Script(folder="controlnet", model="sdxl", data="pairs", told=_HINTS),
    "train_instruct_pix2pix": Script(folder="instruct_pix2pix", model="sd", data="pairs", told=_EDITS),
    "train_instruct_pix2pix_sdxl": Script(folder="instruct_pix2pix", model="sdxl", data="pairs", told=_EDITS),
    "textual_inversion": Script(folder="textual_inversion", model="sd", data="subject", told=_WORD),
    "textual_inversion_sdxl": Script(folder="textual_inversion", model="sdxl", data="subject", told=_WORD),
}
OPTIONS = (
    ("train_text_to_image", ("--allow_tf32",)),
    ("train_text_to_image", ("--use_ema",)),
    ("train_text_to_image_lora_sdxl", ("--train_text_encoder",)),
    ("train_text_to_image_lora_sdxl", ("--pretrained_vae_model_name_or_path", "sdxl/vae")),
    ("train_text_to_image_sdxl", ("--pretrained_vae_model_name_or_path", "sdxl/vae")),
    ("train_instruct_pix2pix_sdxl", ("--vae_precision", "bf16")),
    ("train_dreambooth", ("--train_text_encoder",)),
    ("train_dreambooth_lora", ("--train_text_encoder",)),
    ("train_dreambooth_lora_sdxl", ("--train_text_encoder",)),
    ("train_dreambooth_lora_sdxl", ("--use_dora",)),
)
MIXED = ("no", "fp16", "bf16")


def combination(name: str, script: str, *, launcher: tuple[str, ...] = (), own: tuple[str, ...] = ()) -> Combination:
    """A script with options of its own and of the launcher."""
    what = SCRIPTS[script]
    command = (
        "accelerate",
        "launch",
        *launcher,
        f"{script}.py",
        "--pretrained_model_name_or_path",
        what.model,
        *what.told,
    )
    return Combination(
        family="by_diffusers", name=f"{script}, {name}", files={}, command=(*command, *own), models=MODELS,
        needs=(what.model, what.data), checkouts=(f"diffusers/examples/{what.folder}/{script}.py",),
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Every script × half × where it is said; two that differ; what else has a bearing on precision."""
    for script, half in itertools.product(SCRIPTS, MIXED):
        yield combination(half, script, own=("--mixed_precision", half))
        yield combination(f"{half} of the launcher", script, launcher=("--mixed_precision", half))
    for script, (launched, half) in itertools.product(SCRIPTS, itertools.permutations(MIXED, 2)):
        if "text_to_image" in script:
            launcher, own = ("--mixed_precision", launched), ("--mixed_precision", half)
            yield combination(f"{half}, {launched} of the launcher", script, launcher=launcher, own=own)
    for (script, option), half in itertools.product(OPTIONS, MIXED):
        yield combination(f"{half}, {' '.join(option)}", script, own=("--mixed_precision", half, *option))
