"""The components of Stable Diffusion XL, with random weights, and what they do to captions."""

from dataclasses import dataclass

import torch
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from diffusers.utils import logging
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from torch import nn
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, PreTrainedTokenizerFast

WORDS = ["<pad>", "<unknown>", "<start>", "<end>", "a", "red", "green", "blue", "disc"]
NOISE = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "prediction_type": "v_prediction"}

# The sizes of stable-diffusion-xl-base-1.0 (UNet: 2.6 billion parameters), and the same in small.
REAL = {
    "unet": {
        "sample_size": 128,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
        "block_out_channels": (320, 640, 1280),
        "transformer_layers_per_block": (1, 2, 10),
        "attention_head_dim": (5, 10, 20),
        "cross_attention_dim": 2048,
        "addition_time_embed_dim": 256,
        "projection_class_embeddings_input_dim": 2816,
    },
    "vae": {
        "down_block_types": ("DownEncoderBlock2D",) * 4,
        "up_block_types": ("UpDecoderBlock2D",) * 4,
        "block_out_channels": (128, 256, 512, 512),
        "layers_per_block": 2,
        "sample_size": 1024,
        "scaling_factor": 0.13025,
    },
    "text_encoders": (
        {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12},
        {
            "hidden_size": 1280,
            "intermediate_size": 5120,
            "num_hidden_layers": 32,
            "num_attention_heads": 20,
            "projection_dim": 1280,
            "hidden_act": "gelu",
        },
    ),
    "vocabulary": 49408,
    "resolution": 1024,
}
TINY = {
    "unet": {
        "sample_size": 8,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
        "block_out_channels": (16, 32),
        "layers_per_block": 1,
        "transformer_layers_per_block": (1, 1),
        "attention_head_dim": (2, 4),
        "norm_num_groups": 8,
        "cross_attention_dim": 48,
        "addition_time_embed_dim": 8,
        "projection_class_embeddings_input_dim": 6 * 8 + 32,
    },
    "vae": {
        "down_block_types": ("DownEncoderBlock2D",) * 2,
        "up_block_types": ("UpDecoderBlock2D",) * 2,
        "block_out_channels": (16, 32),
        "norm_num_groups": 8,
        "sample_size": 16,
        "scaling_factor": 1.0,
    },
    "text_encoders": (
        {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4},
        {
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 3,
            "num_attention_heads": 4,
            "projection_dim": 32,
        },
    ),
    "vocabulary": len(WORDS),
    "resolution": 16,
}
SIZES = {"tiny": TINY, "real": REAL}


@dataclass
class Models:
    unet: UNet2DConditionModel
    vae: AutoencoderKL
    text_encoder_1: CLIPTextModel
    text_encoder_2: CLIPTextModelWithProjection
    tokenizer: PreTrainedTokenizerFast
    noise_scheduler: DDPMScheduler
    resolution: int
    device: torch.device
    dtype: torch.dtype

    @property
    def text_encoders(self):
        return self.text_encoder_1, self.text_encoder_2


def load_tokenizer(vocabulary):
    names = WORDS + [f"<unused-{n}>" for n in range(len(WORDS), vocabulary)]
    words = Tokenizer(WordLevel({word: n for n, word in enumerate(names)}, unk_token="<unknown>"))
    words.pre_tokenizer = WhitespaceSplit()
    words.post_processor = TemplateProcessing(single="<start> $A <end>", special_tokens=[("<start>", 2), ("<end>", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<start>", eos_token="<end>", model_max_length=77
    )


def load_models(size, device, dtype):
    """All components in one dtype, on one device, frozen."""
    logging.set_verbosity_error()  # or each `.to(dtype)` tells that no module is to be kept in float32
    config = SIZES[size]
    unet = UNet2DConditionModel(use_linear_projection=True, addition_embed_type="text_time", **config["unet"])
    if size == "real":
        unet.enable_gradient_checkpointing()
    vae = AutoencoderKL(latent_channels=4, **config["vae"])
    tokens = {"vocab_size": config["vocabulary"], "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    first, second = (CLIPTextConfig(**tokens, **sizes) for sizes in config["text_encoders"])
    text_encoder_1, text_encoder_2 = CLIPTextModel(first), CLIPTextModelWithProjection(second)
    for encoder in (text_encoder_1, text_encoder_2):
        nn.init.normal_(encoder.get_input_embeddings().weight)  # or random encoders hardly tell two words apart
    for module in (unet, vae, text_encoder_1, text_encoder_2):
        module.requires_grad_(False).to(device, dtype)
    tokenizer, scheduler = load_tokenizer(config["vocabulary"]), DDPMScheduler(**NOISE)
    return Models(
        unet, vae, text_encoder_1, text_encoder_2, tokenizer, scheduler, config["resolution"], device, dtype
    )


@torch.no_grad()
def encode_image(models, image):
    return models.vae.encode(image).latent_dist.mode() * models.vae.config.scaling_factor


@torch.no_grad()
def decode(models, latent):
    """Images between 0 and 1, of latents."""
    image = models.vae.decode(latent / models.vae.config.scaling_factor).sample
    return (image / 2 + 0.5).clamp(0, 1)
