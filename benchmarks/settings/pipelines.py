"""Tiny diffusion pipelines of random weights, and pictures to train them on: `python pipelines.py NAME FOLDER`.

Every part is made from a configuration, in the layout in which diffusers saves it; nothing comes from a network.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

NAMES = ("sd", "sdxl", "sd3", "flux", "pictures", "pairs", "subject")
SIDE = 32
_DOWN, _UP = ("DownBlock2D", "CrossAttnDownBlock2D"), ("CrossAttnUpBlock2D", "UpBlock2D")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def clip_tokenizer(folder: Path) -> None:
    """Letters, and letters that end a word."""
    from transformers import CLIPTokenizer

    tokens = [*_LETTERS, *(f"{letter}</w>" for letter in _LETTERS), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=77).save_pretrained(folder)


def t5_tokenizer(folder: Path) -> None:
    """Letters, and the mark before a word."""
    from transformers import T5Tokenizer

    vocabulary = [
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("\u2581", -1.0),
        *((letter, -2.0) for letter in _LETTERS),
    ]
    T5Tokenizer(vocab=vocabulary, extra_ids=0, model_max_length=77).save_pretrained(folder)


def clip(folder: Path, *, projected: bool) -> None:
    """CLIP's text model, 16 wide."""
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    config = CLIPTextConfig(
        vocab_size=54, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=77, projection_dim=16, bos_token_id=52, eos_token_id=53, pad_token_id=53,
    )  # fmt: skip
    (CLIPTextModelWithProjection if projected else CLIPTextModel)(config).save_pretrained(folder)


def t5(folder: Path, width: int) -> None:
    """T5's encoder."""
    from transformers import T5Config, T5EncoderModel

    config = T5Config(
        vocab_size=64, d_model=width, d_kv=8, d_ff=32, num_layers=2, num_heads=2, feed_forward_proj="gated-gelu"
    )
    T5EncoderModel(config).save_pretrained(folder)


def vae(folder: Path, **more: Any) -> None:
    """A VAE that makes the sides an eighth."""
    from diffusers import AutoencoderKL

    AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4, latent_channels=4,
        block_out_channels=(8,) * 4, norm_num_groups=4, sample_size=SIDE, **more,
    ).save_pretrained(folder)  # fmt: skip


def unet(folder: Path, **more: Any) -> None:
    """A conditional U-Net of two levels."""
    from diffusers import UNet2DConditionModel

    UNet2DConditionModel(
        sample_size=SIDE // 8, layers_per_block=1, down_block_types=_DOWN, up_block_types=_UP, attention_head_dim=4,
        block_out_channels=(8, 16), norm_num_groups=4, **more,
    ).save_pretrained(folder)  # fmt: skip


def index(folder: Path, name: str, **parts: tuple[str, str] | bool) -> None:
    """What says which classes the parts are of."""
    text = json.dumps({"_class_name": name, "_diffusers_version": "0.42.1", **parts})
    (folder / "model_index.json").write_text(text, encoding="utf-8")


def index_sdxl(folder: Path) -> None:
    """What an SDXL pipeline of two text encoders consists of."""
    index(
        folder, "StableDiffusionXLPipeline", unet=("diffusers", "UNet2DConditionModel"),
        vae=("diffusers", "AutoencoderKL"), text_encoder=("transformers", "CLIPTextModel"),
        text_encoder_2=("transformers", "CLIPTextModelWithProjection"), tokenizer=("transformers", "CLIPTokenizer"),
        tokenizer_2=("transformers", "CLIPTokenizer"), scheduler=("diffusers", "EulerDiscreteScheduler"),
        force_zeros_for_empty_prompt=True,
    )  # fmt: skip


def sd(folder: Path) -> None:
    """Stable Diffusion 1.5's shape."""
    from diffusers import DDPMScheduler

    clip_tokenizer(folder / "tokenizer")
    clip(folder / "text_encoder", projected=False)
    vae(folder / "vae")
    unet(folder / "unet", cross_attention_dim=16)
    DDPMScheduler(beta_schedule="scaled_linear").save_pretrained(folder / "scheduler")
    index(
        folder, "StableDiffusionPipeline", unet=("diffusers", "UNet2DConditionModel"),
        vae=("diffusers", "AutoencoderKL"),
        text_encoder=("transformers", "CLIPTextModel"), tokenizer=("transformers", "CLIPTokenizer"),
        scheduler=("diffusers", "DDPMScheduler"), safety_checker=(None, None), feature_extractor=(None, None),
        image_encoder=(None, None), requires_safety_checker=False,
    )  # fmt: skip


def sdxl(folder: Path) -> None:
    """Stable Diffusion XL's shape: two text encoders, sizes as conditions."""
    from diffusers import EulerDiscreteScheduler

    for number in ("", "_2"):
        clip_tokenizer(folder / f"tokenizer{number}")
        clip(folder / f"text_encoder{number}", projected=bool(number))
    vae(folder / "vae")
    unet(
        folder / "unet", cross_attention_dim=32, addition_embed_type="text_time", addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=6 * 8 + 16,
    )  # fmt: skip
    EulerDiscreteScheduler(beta_schedule="scaled_linear").save_pretrained(folder / "scheduler")
    index_sdxl(folder)


def _flow(folder: Path) -> None:
    from diffusers import FlowMatchEulerDiscreteScheduler

    FlowMatchEulerDiscreteScheduler().save_pretrained(folder / "scheduler")


def sd3(folder: Path) -> None:
    """Stable Diffusion 3's shape: three text encoders and a transformer."""
    from diffusers import SD3Transformer2DModel

    for number in ("", "_2"):
        clip_tokenizer(folder / f"tokenizer{number}")
        clip(folder / f"text_encoder{number}", projected=True)
    t5_tokenizer(folder / "tokenizer_3")
    t5(folder / "text_encoder_3", 32)
    vae(folder / "vae", shift_factor=0.06, use_quant_conv=False, use_post_quant_conv=False)
    SD3Transformer2DModel(
        sample_size=SIDE // 8, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=2,
        joint_attention_dim=32, caption_projection_dim=16, pooled_projection_dim=32, pos_embed_max_size=16,
    ).save_pretrained(folder / "transformer")  # fmt: skip
    _flow(folder)
    index(
        folder, "StableDiffusion3Pipeline", transformer=("diffusers", "SD3Transformer2DModel"),
        vae=("diffusers", "AutoencoderKL"), text_encoder=("transformers", "CLIPTextModelWithProjection"),
        text_encoder_2=("transformers", "CLIPTextModelWithProjection"),
        text_encoder_3=("transformers", "T5EncoderModel"),
        tokenizer=("transformers", "CLIPTokenizer"), tokenizer_2=("transformers", "CLIPTokenizer"),
        tokenizer_3=("transformers", "T5Tokenizer"), scheduler=("diffusers", "FlowMatchEulerDiscreteScheduler"),
    )  # fmt: skip


def flux(folder: Path) -> None:
    """FLUX's shape: CLIP, T5 and a transformer."""
    from diffusers import FluxTransformer2DModel

    clip_tokenizer(folder / "tokenizer")
    clip(folder / "text_encoder", projected=False)
    t5_tokenizer(folder / "tokenizer_2")
    t5(folder / "text_encoder_2", 16)
    vae(folder / "vae", shift_factor=0.06, use_quant_conv=False, use_post_quant_conv=False)
    FluxTransformer2DModel(
        in_channels=16, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
        joint_attention_dim=16, pooled_projection_dim=16, axes_dims_rope=(4, 4, 8), guidance_embeds=True,
    ).save_pretrained(folder / "transformer")  # fmt: skip
    _flow(folder)
    index(
        folder, "FluxPipeline", transformer=("diffusers", "FluxTransformer2DModel"), vae=("diffusers", "AutoencoderKL"),
        text_encoder=("transformers", "CLIPTextModel"), text_encoder_2=("transformers", "T5EncoderModel"),
        tokenizer=("transformers", "CLIPTokenizer"), tokenizer_2=("transformers", "T5Tokenizer"),
        scheduler=("diffusers", "FlowMatchEulerDiscreteScheduler"),
    )  # fmt: skip


def pictured(file: Path, side: int = SIDE) -> None:
    """A square picture of random pixels."""
    from PIL import Image

    Image.frombytes("RGB", (side, side), random.randbytes(3 * side * side)).save(file)


def subject(folder: Path) -> None:
    """Pictures alone, as DreamBooth takes them."""
    for number in range(2):
        pictured(folder / f"{number}.png")


def pictures(folder: Path) -> None:
    """Pictures with captions, as `datasets` reads a folder."""
    subject(folder)
    _described(folder, [{"file_name": f"{n}.png", "text": "a cat"} for n in range(2)])


def pairs(folder: Path) -> None:
    """Pictures with captions, and with pictures to steer by."""
    subject(folder)
    _described(
        folder, [{"file_name": f"{n}.png", "hint_file_name": f"{1 - n}.png", "text": "a cat"} for n in range(2)]
    )


def _described(folder: Path, rows: Iterable[dict[str, str]]) -> None:
    (folder / "metadata.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    random.seed(0)
    folder.mkdir(parents=True)
    globals()[name](folder)


if __name__ == "__main__":
    main()
