"""Models of diffusers and transformers at their real sizes, each in a training as its users write one.

    miscast plan --machine rtx4090 benchmarks/planned/train.py sdxl-lora

Weights are random and float32; images, captions and sounds are random too. Nothing is downloaded.
"""

import argparse

import torch
import torch.nn.functional as F

SDXL = {
    "sample_size": 128,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    "block_out_channels": (320, 640, 1280),
    "transformer_layers_per_block": (1, 2, 10),
    "attention_head_dim": (5, 10, 20),
    "cross_attention_dim": 2048,
    "use_linear_projection": True,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 256,
    "projection_class_embeddings_input_dim": 2816,
}
VAE = {
    "down_block_types": ("DownEncoderBlock2D",) * 4,
    "up_block_types": ("UpDecoderBlock2D",) * 4,
    "block_out_channels": (128, 256, 512, 512),
    "layers_per_block": 2,
    "latent_channels": 4,
}
CLIP_L = {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12}
CLIP_G = {"hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32, "num_attention_heads": 20}
STEPS = 3


def frozen(model, device):
    return model.requires_grad_(False).to(device).eval()


def with_lora(model, targets, rank=16):
    from peft import LoraConfig

    model.requires_grad_(False)
    model.add_adapter(LoraConfig(r=rank, lora_alpha=rank, target_modules=targets))
    return model


def trained(model, loss):
    """Some steps of AdamW; only what is to be trained has gradients."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-4)
    for step in range(STEPS):
        value = loss()
        value.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: loss {value.item():.4f}")


def noised(latent):
    """What a diffusion model is given, with its noise and time."""
    from diffusers import DDPMScheduler

    scheduler, noise = DDPMScheduler(), torch.randn_like(latent)
    time = torch.randint(0, 1000, (len(latent),), device=latent.device)
    return scheduler.add_noise(latent, noise, time), noise, time


def sdxl_lora(device):
    """SDXL 1.0, LoRA on its attention, one image of 1024 x 1024 pixels, both text encoders and the VAE beside it."""
    from diffusers import AutoencoderKL, UNet2DConditionModel
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    unet = UNet2DConditionModel(**SDXL)
    unet.enable_gradient_checkpointing()
    unet = with_lora(unet, ["to_k", "to_q", "to_v", "to_out.0"]).to(device).train()
    vae = frozen(AutoencoderKL(**VAE), device)
    text_encoder = frozen(CLIPTextModel(CLIPTextConfig(**CLIP_L)), device)
    text_encoder_2 = frozen(CLIPTextModelWithProjection(CLIPTextConfig(**CLIP_G, projection_dim=1280)), device)
    size = torch.tensor([[1024, 1024, 0, 0, 1024, 1024]], device=device)

    def loss():
        image = torch.rand(1, 3, 1024, 1024, device=device)
        words = torch.randint(0, 1000, (1, 77), device=device)
        with torch.no_grad():
            latent = vae.encode(image).latent_dist.sample() * 0.13025
            first = text_encoder(words, output_hidden_states=True)
            second = text_encoder_2(words, output_hidden_states=True)
            context = torch.cat([first.hidden_states[-2], second.hidden_states[-2]], dim=-1)
        noisy, noise, time = noised(latent)
        added = {"text_embeds": second.text_embeds, "time_ids": size}
        found = unet(noisy, time, encoder_hidden_states=context, added_cond_kwargs=added).sample
        return F.mse_loss(found.float(), noise.float())

    trained(unet, loss)


def controlnet(device):
    """A ControlNet of Stable Diffusion 1.5, trained whole beside the UNet, four images of 512 x 512 pixels."""
    from diffusers import AutoencoderKL, ControlNetModel, UNet2DConditionModel
    from transformers import CLIPTextConfig, CLIPTextModel

    unet = frozen(UNet2DConditionModel(sample_size=64, cross_attention_dim=768), device)
    control = ControlNetModel.from_unet(unet).to(device).train()
    control.requires_grad_(True)
    vae = frozen(AutoencoderKL(**VAE), device)
    text_encoder = frozen(CLIPTextModel(CLIPTextConfig(**CLIP_L)), device)

    def loss():
        image, edges = torch.rand(4, 3, 512, 512, device=device), torch.rand(4, 3, 512, 512, device=device)
        with torch.no_grad():
            latent = vae.encode(image).latent_dist.sample() * 0.18215
            context = text_encoder(torch.randint(0, 1000, (4, 77), device=device)).last_hidden_state
        noisy, noise, time = noised(latent)
        down, middle = control(
            noisy, time, encoder_hidden_states=context, controlnet_cond=edges, return_dict=False
        )
        found = unet(
            noisy, time, encoder_hidden_states=context, down_block_additional_residuals=down,
            mid_block_additional_residual=middle,
        ).sample  # fmt: skip
        return F.mse_loss(found.float(), noise.float())

    trained(control, loss)


def flux_lora(device):
    """FLUX.1-dev, LoRA on its attention, one image of 512 x 512 pixels; latents and captions are kept ready."""
    from diffusers import FluxTransformer2DModel

    transformer = FluxTransformer2DModel(guidance_embeds=True)
    transformer.enable_gradient_checkpointing()
    transformer = with_lora(transformer, ["to_k", "to_q", "to_v", "to_out.0"]).to(device).train()
    tokens = 32 * 32

    def loss():
        latent = torch.randn(1, tokens, 64, device=device)
        noise, time = torch.randn_like(latent), torch.rand(1, device=device)
        found = transformer(
            hidden_states=(1 - time) * latent + time * noise, timestep=time, guidance=torch.ones(1, device=device),
            encoder_hidden_states=torch.randn(1, 512, 4096, device=device),
            pooled_projections=torch.randn(1, 768, device=device),
            img_ids=torch.zeros(tokens, 3, device=device), txt_ids=torch.zeros(512, 3, device=device),
        ).sample  # fmt: skip
        return F.mse_loss(found.float(), (noise - latent).float())

    trained(transformer, loss)


def llama_lora(device):
    """Llama 3.1 8B, LoRA on its attention, one text of 2048 tokens."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32,
        num_key_value_heads=8, use_cache=False,
    )  # fmt: skip
    model = with_lora(LlamaForCausalLM(config), ["q_proj", "k_proj", "v_proj", "o_proj"]).to(device).train()
    model.gradient_checkpointing_enable()

    def loss():
        words = torch.randint(0, 1000, (1, 2048), device=device)
        return model(input_ids=words, labels=words).loss

    trained(model, loss)


def whisper(device):
    """Whisper large-v3, trained whole, eight sounds of 30 seconds."""
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(
        vocab_size=51866, num_mel_bins=128, d_model=1280, encoder_layers=32, encoder_attention_heads=20,
        decoder_layers=32, decoder_attention_heads=20, encoder_ffn_dim=5120, decoder_ffn_dim=5120,
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config).to(device).train()

    def loss():
        sound = torch.randn(8, 128, 3000, device=device)
        return model(input_features=sound, labels=torch.randint(0, 1000, (8, 128), device=device)).loss

    trained(model, loss)


def vit(device):
    """ViT-L/16, trained whole, 64 images of 224 x 224 pixels."""
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(
        hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, num_labels=1000
    )
    model = ViTForImageClassification(config).to(device).train()

    def loss():
        image = torch.rand(64, 3, 224, 224, device=device)
        return model(pixel_values=image, labels=torch.randint(0, 1000, (64,), device=device)).loss

    trained(model, loss)


MODELS = {
    "sdxl-lora": sdxl_lora,
    "controlnet": controlnet,
    "flux-lora": flux_lora,
    "llama-lora": llama_lora,
    "whisper": whisper,
    "vit": vit,
}


def main():
    parser = argparse.ArgumentParser(description="Train a model at its real size.")
    parser.add_argument("model", choices=MODELS)
    torch.manual_seed(0)
    device = "cpu"
    if torch.cuda.is_available():
        device = "cuda"
    elif torch.backends.mps.is_available():
        device = "mps"
    MODELS[parser.parse_args().model](torch.device(device))


if __name__ == "__main__":
    main()
