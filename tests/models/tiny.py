"""Tiny models with random weights: the architectures of the field, a few channels wide. Nothing is downloaded."""

from __future__ import annotations

from typing import Any

import diffusers
import transformers

WIDTH = 16
CONTEXT = 16  # width of what the text encoders hand over
_LAYERS = {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
_TEXT = {"vocab_size": 50, **_LAYERS}
_IDS = {"bos_token_id": 0, "eos_token_id": 49, "pad_token_id": 1}
_BLOCKS = {
    "block_out_channels": (8, 16),
    "layers_per_block": 1,
    "norm_num_groups": 4,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    "cross_attention_dim": CONTEXT,
    "attention_head_dim": 2,
}
_VISION = {**_LAYERS, "image_size": 8, "patch_size": 4}
_XL = {
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 4,
    "projection_class_embeddings_input_dim": CONTEXT + 24,
    "use_linear_projection": True,
    "transformer_layers_per_block": (1, 2),
}
_TRANSFORMER = {"num_layers": 1, "num_attention_heads": 2, "attention_head_dim": 8, "sample_size": 8}


def unet(**more: Any) -> diffusers.UNet2DConditionModel:
    """Stable Diffusion 1's, or with `**XL` that of SDXL."""
    return diffusers.UNet2DConditionModel(
        **{"sample_size": 8, "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"), **_BLOCKS, **more}
    )


def unet_xl(**more: Any) -> diffusers.UNet2DConditionModel:
    """SDXL's: text and size embeddings added to the time embedding."""
    return unet(**_XL, **more)


def controlnet() -> diffusers.ControlNetModel:
    """Fits `unet`."""
    return diffusers.ControlNetModel(conditioning_embedding_out_channels=(4, 8), **_BLOCKS)


def vae(**more: Any) -> diffusers.AutoencoderKL:
    """Two levels, 4 latent channels."""
    return diffusers.AutoencoderKL(
        **{
            "block_out_channels": (8, 16),
            "norm_num_groups": 4,
            "down_block_types": ("DownEncoderBlock2D",) * 2,
            "up_block_types": ("UpDecoderBlock2D",) * 2,
            "sample_size": 16,
            **more,
        }
    )


def vq() -> diffusers.VQModel:
    """A VQ autoencoder: the nearest code is looked up."""
    return diffusers.VQModel(
        block_out_channels=(8,), norm_num_groups=4, num_vq_embeddings=12, latent_channels=4, vq_embed_dim=4
    )


def sd3() -> diffusers.SD3Transformer2DModel:
    """Stable Diffusion 3's joint transformer."""
    return diffusers.SD3Transformer2DModel(
        in_channels=4,
        out_channels=4,
        joint_attention_dim=CONTEXT,
        caption_projection_dim=16,
        pooled_projection_dim=CONTEXT,
        pos_embed_max_size=8,
        qk_norm="rms_norm",
        **_TRANSFORMER,
    )


def flux() -> diffusers.FluxTransformer2DModel:
    """Flux: rotary embeddings in float32, single and double blocks."""
    return diffusers.FluxTransformer2DModel(
        in_channels=4,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=8,
        num_attention_heads=2,
        joint_attention_dim=CONTEXT,
        pooled_projection_dim=CONTEXT,
        axes_dims_rope=(2, 2, 4),
        guidance_embeds=True,
    )


def pixart() -> diffusers.PixArtTransformer2DModel:
    """PixArt: cross attention to T5."""
    return diffusers.PixArtTransformer2DModel(
        in_channels=4, cross_attention_dim=16, caption_channels=CONTEXT, norm_num_groups=4, **_TRANSFORMER
    )


def dit() -> diffusers.DiTTransformer2DModel:
    """DiT: class labels."""
    return diffusers.DiTTransformer2DModel(
        in_channels=4, out_channels=4, norm_num_groups=4, num_embeds_ada_norm=10, **_TRANSFORMER
    )


def clip_text() -> transformers.CLIPTextModel:
    """The text encoder of Stable Diffusion."""
    return transformers.CLIPTextModel(transformers.CLIPTextConfig(max_position_embeddings=16, **_TEXT, **_IDS))


def clip_text_projected() -> transformers.CLIPTextModelWithProjection:
    """The second text encoder of SDXL."""
    config = transformers.CLIPTextConfig(max_position_embeddings=16, projection_dim=CONTEXT, **_TEXT, **_IDS)
    return transformers.CLIPTextModelWithProjection(config)


def clip() -> transformers.CLIPModel:
    """Both towers."""
    text = {"max_position_embeddings": 16, **_TEXT, **_IDS}
    return transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=_VISION, projection_dim=8))


def clip_vision() -> transformers.CLIPVisionModel:
    """CLIP's vision tower."""
    return transformers.CLIPVisionModel(transformers.CLIPVisionConfig(**_VISION))


def vit() -> transformers.ViTModel:
    """ViT."""
    return transformers.ViTModel(transformers.ViTConfig(**_VISION), add_pooling_layer=False)


_T5 = {"vocab_size": 50, "d_model": WIDTH, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}


def t5_encoder() -> transformers.T5EncoderModel:
    """The text encoder of SD3, Flux and PixArt."""
    return transformers.T5EncoderModel(transformers.T5Config(feed_forward_proj="gated-gelu", **_T5))


def t5() -> transformers.T5ForConditionalGeneration:
    """Encoder and decoder."""
    return transformers.T5ForConditionalGeneration(transformers.T5Config(decoder_start_token_id=0, **_T5))


_LLAMA = {**_TEXT, "num_key_value_heads": 1, "max_position_embeddings": 64}


def llama(**more: Any) -> transformers.LlamaForCausalLM:
    """Rotary embeddings, grouped heads, RMS norms."""
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**_LLAMA, **_IDS, **more))


def gpt2(**more: Any) -> transformers.GPT2LMHeadModel:
    """Learned positions, Conv1D; embeddings tied to the head."""
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(vocab_size=50, n_embd=WIDTH, n_layer=2, n_head=2, n_positions=32, **_IDS, **more)
    )


def bert() -> transformers.BertModel:
    """An encoder with an attention mask."""
    return transformers.BertModel(transformers.BertConfig(**_TEXT, max_position_embeddings=32))


def mixtral() -> transformers.MixtralForCausalLM:
    """A mixture of experts: the tokens choose."""
    config = transformers.MixtralConfig(num_local_experts=4, num_experts_per_tok=2, sliding_window=None, **_LLAMA)
    config.output_router_logits = True
    return transformers.MixtralForCausalLM(config)


def mamba() -> transformers.MambaForCausalLM:
    """A state space model, in its slow path."""
    return transformers.MambaForCausalLM(
        transformers.MambaConfig(vocab_size=50, hidden_size=WIDTH, state_size=4, num_hidden_layers=2, time_step_rank=2)
    )


def whisper() -> transformers.WhisperForConditionalGeneration:
    """Mel spectra to tokens."""
    return transformers.WhisperForConditionalGeneration(
        transformers.WhisperConfig(
            vocab_size=50,
            num_mel_bins=8,
            d_model=WIDTH,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_source_positions=10,
            max_target_positions=16,
            decoder_start_token_id=1,
            **_IDS,
        )
    )


def llava() -> transformers.LlavaForConditionalGeneration:
    """A vision tower, a projector and a language model; image tokens are written over by mask."""
    text = {"model_type": "llama", **_LLAMA, **_IDS}
    vision = {"model_type": "clip_vision_model", **_VISION}
    config = transformers.LlavaConfig(
        vision_config=vision, text_config=text, image_token_index=48, vision_feature_layer=-1
    )
    return transformers.LlavaForConditionalGeneration(config)


def qwen2_vl() -> transformers.Qwen2VLForConditionalGeneration:
    """Qwen2-VL: patches of any count, three-dimensional positions."""
    vision = {"depth": 1, "embed_dim": WIDTH, "hidden_size": WIDTH, "num_heads": 2, "mlp_ratio": 2, "patch_size": 4}
    text = {**_LLAMA, "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e4}}
    config = transformers.Qwen2VLConfig(
        text_config={**text, **_IDS},
        vision_config=vision,
        image_token_id=48,
        vision_start_token_id=46,
        vision_end_token_id=47,
    )
    return transformers.Qwen2VLForConditionalGeneration(config)
