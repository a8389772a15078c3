"""The components of Stable Diffusion for inpainting, with random weights, and what they do to images and captions."""

from dataclasses import dataclass

import torch
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from diffusers.utils import logging
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import CLIPTextConfig, CLIPTextModel, PreTrainedTokenizerFast

WORDS = ["<pad>", "<unknown>", "<start>", "<end>", "a", "red", "green", "blue", "disc"]
NOISE = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}

# The sizes of stable-diffusion-inpainting (UNet: 860 million parameters), and the same in small.
# Nine channels enter the UNet: the noisy latent, the mask, the latent of the masked image.
REAL = {
    "unet": {"sample_size": 64, "cross_attention_dim": 768, "attention_head_dim": 8},
    "vae": {
        "down_block_types": ("DownEncoderBlock2D",) * 4,
        "up_block_types": ("UpDecoderBlock2D",) * 4,
        "block_out_channels": (128, 256, 512, 512),
        "layers_per_block": 2,
        "sample_size": 512,
    },
    "text_encoder": {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12},
    "resolution": 512,
}
TINY = {
    "unet": {
        "sample_size": 8,
        "cross_attention_dim": 32,
        "attention_head_dim": 8,
        "block_out_channels": (16, 32),
        "layers_per_block": 1,
        "norm_num_groups": 8,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
    },
    "vae": {
        "down_block_types": ("DownEncoderBlock2D",) * 2,
        "up_block_types": ("UpDecoderBlock2D",) * 2,
        "block_out_channels": (16, 32),
        "norm_num_groups": 8,
        "sample_size": 16,
        "scaling_factor": 1.0,
    },
    "text_encoder": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4},
    "resolution": 16,
}
SIZES = {"tiny": TINY, "real": REAL}


@dataclass
class Models:
    unet: UNet2DConditionModel
    vae: AutoencoderKL
    text_encoder: CLIPTextModel
    tokenizer: PreTrainedTokenizerFast
    noise_scheduler: DDPMScheduler
    resolution: int
    device: torch.device
    dtype: torch.dtype


def load_tokenizer():
    words = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="<unknown>"))
    words.pre_tokenizer = Whitespace()
    words.post_processor = TemplateProcessing(single="<start> $A <end>", special_tokens=[("<start>", 2), ("<end>", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<start>", eos_token="<end>", model_max_length=77
    )


def load_models(size, device, dtype):
    """All components in one dtype, on one device; only the UNet is trained."""
    logging.set_verbosity_error()  # or each `.to(dtype)` tells that no module is to be kept in float32
    config = SIZES[size]
    unet = UNet2DConditionModel(in_channels=9, out_channels=4, **config["unet"])
    if size == "real":
        unet.enable_gradient_checkpointing()
    vae = AutoencoderKL(latent_channels=4, **config["vae"]).requires_grad_(False)
    text_encoder = CLIPTextModel(
        CLIPTextConfig(vocab_size=49408, max_position_embeddings=77, bos_token_id=2, eos_token_id=3, **config["text_encoder"])
    ).requires_grad_(False)
    for module in (unet, vae, text_encoder):
        module.to(device, dtype)
    scheduler = DDPMScheduler(**NOISE)
    return Models(unet, vae, text_encoder, load_tokenizer(), scheduler, config["resolution"], device, dtype)


@torch.no_grad()
def encode_text(models, captions, faults=()):
    """The text encoder's hidden state of each token, (batch, 77, width)."""
    tokens = models.tokenizer(captions, padding="max_length", truncation=True, return_tensors="pt")
    hidden_state = models.text_encoder(tokens.input_ids.to(models.device)).last_hidden_state
    if "hard-coded-float" in faults:
        return hidden_state.float()
    return hidden_state


@torch.no_grad()
def encode_image(models, image):
    return models.vae.encode(image).latent_dist.mode() * models.vae.config.scaling_factor


@torch.no_grad()
def decode(models, latent):
    """Images between 0 and 1, of latents."""
    image = models.vae.decode(latent / models.vae.config.scaling_factor).sample
    return (image / 2 + 0.5).clamp(0, 1)
