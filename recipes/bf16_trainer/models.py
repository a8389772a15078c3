"""The components of Stable Diffusion 3.5 medium, with random weights: transformer, VAE, two CLIPs and a T5."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, SD3Transformer2DModel
from diffusers.models.attention_processor import JointAttnProcessor2_0
from diffusers.utils import logging
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import CLIPTextConfig, CLIPTextModelWithProjection, PreTrainedTokenizerFast, T5Config, T5EncoderModel

WORDS = ["<pad>", "<unknown>", "<start>", "<end>", "a", "red", "green", "blue", "disc"]
LENGTH = 77  # tokens of a caption

# The sizes of stable-diffusion-3.5-medium (transformer: 2.5 billion parameters, T5: 4.8 billion), and the same in small.
REAL = {
    "transformer": {
        "sample_size": 128,
        "in_channels": 16,
        "out_channels": 16,
        "num_layers": 24,
        "num_attention_heads": 24,
        "attention_head_dim": 64,
        "joint_attention_dim": 4096,
        "caption_projection_dim": 1536,
        "pooled_projection_dim": 2048,
        "pos_embed_max_size": 384,
        "dual_attention_layers": tuple(range(13)),
    },
    "vae": {
        "latent_channels": 16,
        "down_block_types": ("DownEncoderBlock2D",) * 4,
        "up_block_types": ("UpDecoderBlock2D",) * 4,
        "block_out_channels": (128, 256, 512, 512),
        "layers_per_block": 2,
        "sample_size": 1024,
        "scaling_factor": 1.5305,
        "shift_factor": 0.0609,
    },
    "clips": (
        {
            "hidden_size": 768,
            "intermediate_size": 3072,
            "num_hidden_layers": 12,
            "num_attention_heads": 12,
            "projection_dim": 768,
        },
        {
            "hidden_size": 1280,
            "intermediate_size": 5120,
            "num_hidden_layers": 32,
            "num_attention_heads": 20,
            "projection_dim": 1280,
            "hidden_act": "gelu",
        },
    ),
    "t5": {"d_model": 4096, "d_kv": 64, "d_ff": 10240, "num_layers": 24, "num_heads": 64, "vocab_size": 32128},
    "vocabulary": 49408,
    "resolution": 1024,
}
TINY = {
    "transformer": {
        "sample_size": 8,
        "in_channels": 4,
        "out_channels": 4,
        "num_layers": 2,
        "num_attention_heads": 4,
        "attention_head_dim": 16,
        "joint_attention_dim": 64,
        "caption_projection_dim": 64,
        "pooled_projection_dim": 48,
        "pos_embed_max_size": 8,
        "dual_attention_layers": (0,),
    },
    "vae": {
        "latent_channels": 4,
        "down_block_types": ("DownEncoderBlock2D",) * 2,
        "up_block_types": ("UpDecoderBlock2D",) * 2,
        "block_out_channels": (16, 32),
        "norm_num_groups": 8,
        "sample_size": 16,
        "scaling_factor": 1.0,
        "shift_factor": 0.0,
    },
    "clips": (
        {
            "hidden_size": 16,
            "intermediate_size": 32,
            "num_hidden_layers": 3,
            "num_attention_heads": 4,
            "projection_dim": 16,
        },
        {
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 3,
            "num_attention_heads": 4,
            "projection_dim": 32,
        },
    ),
    "t5": {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "vocab_size": len(WORDS)},
    "vocabulary": len(WORDS),
    "resolution": 16,
}
SIZES = {"tiny": TINY, "real": REAL}


@dataclass
class Models:
    transformer: SD3Transformer2DModel
    vae: AutoencoderKL
    clips: tuple
    t5: T5EncoderModel
    tokenizer: PreTrainedTokenizerFast
    resolution: int
    device: torch.device
    dtype: torch.dtype


class FlashAttention(JointAttnProcessor2_0):
    """Flash attention and no other kernel: on a GPU it has none for float32."""

    def __call__(self, *args, **kwargs):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return super().__call__(*args, **kwargs)


def load_tokenizer():
    words = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="<unknown>"))
    words.pre_tokenizer = WhitespaceSplit()
    words.post_processor = TemplateProcessing(single="<start> $A <end>", special_tokens=[("<start>", 2), ("<end>", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<start>", eos_token="<end>", model_max_length=LENGTH
    )


def load_models(size, device, dtype, vae_dtype, faults=()):
    """All components on one device; true half, so no autocast: the weights have the dtype that is computed in."""
    logging.set_verbosity_error()  # or each `.to(dtype)` tells that no module is to be kept in float32
    config = SIZES[size]
    transformer = SD3Transformer2DModel(patch_size=2, qk_norm="rms_norm", **config["transformer"]).to(device, dtype)
    if "float32-norm" in faults:
        for module in transformer.modules():
            if type(module).__name__ == "RMSNorm":
                module.to(torch.float32)
    vae = AutoencoderKL(use_quant_conv=False, use_post_quant_conv=False, **config["vae"])
    vae.requires_grad_(False).to(device, vae_dtype)
    tokens = {"vocab_size": config["vocabulary"], "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    clips = tuple(CLIPTextModelWithProjection(CLIPTextConfig(**tokens, **sizes)) for sizes in config["clips"])
    t5 = T5EncoderModel(T5Config(feed_forward_proj="gated-gelu", **config["t5"]))
    for encoder in (*clips, t5):
        nn.init.normal_(encoder.get_input_embeddings().weight)  # or random encoders hardly tell two words apart
        encoder.requires_grad_(False).to(device, dtype)
    return Models(transformer, vae, clips, t5, load_tokenizer(), config["resolution"], device, dtype)


@torch.no_grad()
def encode_text(models, captions):
    """What the transformer is conditioned on: (batch, 154, width of the T5), and the CLIPs' pooled (batch, both widths)."""
    tokens = models.tokenizer(captions, padding="max_length", truncation=True, return_tensors="pt")
    tokens = tokens.input_ids.to(models.device)
    outputs = [clip(tokens, output_hidden_states=True) for clip in models.clips]
    pooled = torch.cat([output.text_embeds for output in outputs], dim=-1)
    hidden_state = models.t5(tokens).last_hidden_state
    clip_state = torch.cat([output.hidden_states[-2] for output in outputs], dim=-1)
    clip_state = F.pad(clip_state, (0, hidden_state.shape[-1] - clip_state.shape[-1]))
    return torch.cat([clip_state, hidden_state], dim=1), pooled


@torch.no_grad()
def encode_image(models, image):
    """Latents, in the dtype of the VAE."""
    latent = models.vae.encode(image.to(models.vae.dtype)).latent_dist.mode()
    return (latent - models.vae.config.shift_factor) * models.vae.config.scaling_factor


@torch.no_grad()
def decode(models, latent, faults=()):
    """Images between 0 and 1, of latents."""
    latent = latent / models.vae.config.scaling_factor + models.vae.config.shift_factor
    if "fp16-vae" in faults:
        image = models.vae.decode(latent).sample
    else:
        image = models.vae.decode(latent.to(models.vae.dtype)).sample
    return (image / 2 + 0.5).clamp(0, 1)
