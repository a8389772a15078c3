# machine: a100
"""LoRA on a Flux transformer: bfloat16 base, float32 adapters, autocast."""

import torch
from diffusers import FluxTransformer2DModel
from peft import LoraConfig, get_peft_model

device = "cuda" if torch.cuda.is_available() else "cpu"


def base_model():
    return FluxTransformer2DModel(
        in_channels=4,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=8,
        num_attention_heads=2,
        joint_attention_dim=16,
        pooled_projection_dim=16,
        axes_dims_rope=(2, 2, 4),
        guidance_embeds=True,
    )


def with_adapters(model, dtype):
    model.requires_grad_(False)
    model.to(device, dtype=dtype)
    model = get_peft_model(model, LoraConfig(r=2, target_modules=["to_q", "to_k", "to_v"]))
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.float()
    return model


def image_ids(height, width):
    ids = torch.zeros(height, width, 3)
    ids[..., 1] += torch.arange(height)[:, None]
    ids[..., 2] += torch.arange(width)[None, :]
    return ids.view(-1, 3).to(device)


def main():
    torch.manual_seed(0)
    dtype = torch.bfloat16
    model = with_adapters(base_model(), dtype)
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=1e-3)
    for step in range(2):
        latents = torch.randn(1, 4, 4, device=device, dtype=dtype)
        noise = torch.randn_like(latents)
        t = torch.rand(1, device=device, dtype=dtype)
        noisy = (1 - t) * latents + t * noise
        with torch.autocast(device, dtype=torch.bfloat16):
            predicted = model(
                hidden_states=noisy,
                encoder_hidden_states=torch.randn(1, 6, 16, device=device, dtype=dtype),
                pooled_projections=torch.randn(1, 16, device=device, dtype=dtype),
                timestep=t,
                img_ids=image_ids(2, 2),
                txt_ids=torch.zeros(6, 3, device=device),
                guidance=torch.full((1,), 3.5, device=device),
                return_dict=False,
            )[0]
        loss = (predicted.float() - (noise - latents).float()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
