# machine: v100
"""A whole StableDiffusionPipeline in float16, with prompt embeddings from the text encoder."""

import torch
from diffusers import AutoencoderKL, DPMSolverMultistepScheduler, StableDiffusionPipeline, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def build_pipeline(dtype):
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=50, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
            max_position_embeddings=16, bos_token_id=0, eos_token_id=49, pad_token_id=1,
        )
    )
    vae = AutoencoderKL(
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
    )
    unet = UNet2DConditionModel(
        sample_size=8,
        block_out_channels=(8, 16),
        layers_per_block=1,
        norm_num_groups=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=2,
    )
    pipe = StableDiffusionPipeline(
        vae=vae.to(dtype=dtype),
        text_encoder=text.to(dtype=dtype),
        tokenizer=None,
        unet=unet.to(dtype=dtype),
        scheduler=DPMSolverMultistepScheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipe.set_progress_bar_config(disable=True)
    return pipe.to(device)


def encode(pipe, ids):
    with torch.no_grad():
        return pipe.text_encoder(ids.to(device))[0]


def sharpen(image):
    weight = torch.tensor([[0.0, -0.5, 0.0], [-0.5, 3.0, -0.5], [0.0, -0.5, 0.0]], dtype=image.dtype, device=image.device)
    return torch.nn.functional.conv2d(image, weight.expand(3, 1, 3, 3), padding=1, groups=3)


def main():
    torch.manual_seed(0)
    pipe = build_pipeline(torch.float16)
    prompt = encode(pipe, torch.tensor([[0, 5, 7, 9, 11, 49]]))
    negative = encode(pipe, torch.tensor([[0, 1, 1, 1, 1, 49]]))
    generator = torch.Generator(device).manual_seed(1)
    latents = torch.randn(1, 4, 8, 8, generator=generator, device=device, dtype=torch.float16)
    out = pipe(
        prompt_embeds=prompt, negative_prompt_embeds=negative, num_inference_steps=2, latents=latents, output_type="latent"
    ).images
    with torch.no_grad():
        image = pipe.vae.decode(out / pipe.vae.config.scaling_factor).sample
    image = sharpen(image).float().clamp(-1, 1)
    print(f"image {image.mean().item():.3f} {image.std().item():.3f}")


if __name__ == "__main__":
    main()
