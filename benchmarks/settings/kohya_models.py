"""Small models and pictures for sd-scripts, shaped as its own U-Nets are: `python kohya_models.py NAME FOLDER`.

Widths are the real ones where a setting's effect hangs on them (bitsandbytes keeps states of less than 4,096 elements
in float32); depths are not. run.py of by_kohya.py gives the script's classes the same depths.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from pipelines import index, index_sdxl, pictured, vae

NAMES = ("sd15", "sdxl-small", "tokenizers", "cats")
SIDE = 64
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CROSS, _PLAIN = "CrossAttn{}Block2D", "{}Block2D"


def _tokenizer(folder: Path) -> None:
    """Letters, and letters that end a word; as files, for which every version of Transformers has a reader."""
    tokens = [*_LETTERS, *(f"{letter}</w>" for letter in _LETTERS), "<|startoftext|>", "<|endoftext|>"]
    folder.mkdir(parents=True)
    (folder / "vocab.json").write_text(json.dumps({token: n for n, token in enumerate(tokens)}), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    config = {"tokenizer_class": "CLIPTokenizer", "model_max_length": 77, "pad_token": "<|endoftext|>",
              "bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>"}  # fmt: skip
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def tokenizers(folder: Path) -> None:
    """Where `--tokenizer_cache_dir` looks."""
    for name in ("openai_clip-vit-large-patch14", "laion_CLIP-ViT-bigG-14-laion2B-39B-b160k"):
        _tokenizer(folder / name)


def _clip(folder: Path, width: int, layers: int = 2, *, projected: bool) -> None:
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    config = CLIPTextConfig(
        vocab_size=54, hidden_size=width, intermediate_size=256, num_hidden_layers=layers, num_attention_heads=2,
        max_position_embeddings=77, projection_dim=width, bos_token_id=52, eos_token_id=53, pad_token_id=53,
    )  # fmt: skip
    (CLIPTextModelWithProjection if projected else CLIPTextModel)(config).save_pretrained(folder)


def _unet(folder: Path, widths: tuple[int, ...], plain: int, **more: Any) -> None:
    """A U-Net of some widths, whose level `plain` has no attention."""
    from diffusers import UNet2DConditionModel

    kinds = [_PLAIN if level == plain else _CROSS for level in range(len(widths))]
    UNet2DConditionModel(
        sample_size=SIDE // 8, block_out_channels=widths, down_block_types=[kind.format("Down") for kind in kinds],
        up_block_types=[kind.format("Up") for kind in reversed(kinds)], **more,
    ).save_pretrained(folder)  # fmt: skip


def _halved(folder: Path) -> None:
    """The weights in float16 beside those in float32, as SDXL's own repository has them: variant="fp16"."""
    from safetensors.torch import load_file, save_file

    for file in folder.glob("*/*.safetensors"):
        half = {name: tensor.half() for name, tensor in load_file(file).items()}
        save_file(half, file.with_suffix(".fp16.safetensors"), metadata={"format": "pt"})


def sd15(folder: Path) -> None:
    """Stable Diffusion 1.5's widths in two levels."""
    from diffusers import DDPMScheduler

    _clip(folder / "text_encoder", 768, projected=False)
    _unet(folder / "unet", (320, 640), 1, layers_per_block=1, cross_attention_dim=768, attention_head_dim=8)
    vae(folder / "vae")
    DDPMScheduler(beta_schedule="scaled_linear").save_pretrained(folder / "scheduler")
    _tokenizer(folder / "tokenizer")
    index(
        folder, "StableDiffusionPipeline", unet=("diffusers", "UNet2DConditionModel"),
        vae=("diffusers", "AutoencoderKL"), text_encoder=("transformers", "CLIPTextModel"),
        tokenizer=("transformers", "CLIPTokenizer"), scheduler=("diffusers", "DDPMScheduler"),
        safety_checker=(None, None), feature_extractor=(None, None), requires_safety_checker=False,
    )  # fmt: skip


def sdxl_small(folder: Path) -> None:
    """Stable Diffusion XL's three levels, narrow, with text encoders of its widths; of the first it takes layer 11."""
    from diffusers import EulerDiscreteScheduler

    _clip(folder / "text_encoder", 768, 12, projected=False)
    _clip(folder / "text_encoder_2", 1280, projected=True)
    _unet(
        folder / "unet", (64, 128, 256), 0, layers_per_block=2, cross_attention_dim=2048, attention_head_dim=(1, 2, 4),
        use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=256,
        projection_class_embeddings_input_dim=2816,
    )  # fmt: skip
    vae(folder / "vae")
    EulerDiscreteScheduler(beta_schedule="scaled_linear").save_pretrained(folder / "scheduler")
    for number in ("", "_2"):
        _tokenizer(folder / f"tokenizer{number}")
    index_sdxl(folder)
    _halved(folder)


def cats(folder: Path) -> None:
    """Pictures as sd-scripts takes them: a folder that says how often, and of what; and their captions as a file."""
    inner = folder / "1_cat"
    inner.mkdir()
    for number in range(2):
        pictured(inner / f"{number}.png", SIDE)
    rows = {f"{number}.png": {"caption": "a cat", "image_size": [SIDE, SIDE]} for number in range(2)}
    (folder / "captions.json").write_text(json.dumps(rows), encoding="utf-8")


def main() -> None:
    """Make one of them."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    random.seed(0)
    folder.mkdir(parents=True)
    globals()[name.replace("-", "_")](folder)


if __name__ == "__main__":
    main()
