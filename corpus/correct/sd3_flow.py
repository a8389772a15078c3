# machine: a100
"""Flow matching with the transformer of Stable Diffusion 3, bfloat16."""

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, SD3Transformer2DModel
from transformers import T5Config, T5EncoderModel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight_dtype = torch.bfloat16


def build():
    transformer = SD3Transformer2DModel(
        sample_size=8,
        in_channels=4,
        out_channels=4,
        num_layers=1,
        num_attention_heads=2,
        attention_head_dim=8,
        joint_attention_dim=16,
        caption_projection_dim=16,
        pooled_projection_dim=16,
        pos_embed_max_size=8,
        qk_norm="rms_norm",
    )
    text = T5EncoderModel(T5Config(vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2))
    text.to(device, dtype=weight_dtype).eval()
    return transformer.to(device, dtype=weight_dtype), text


def get_sigmas(scheduler, indices, n_dim):
    sigmas = scheduler.sigmas.to(device=device, dtype=weight_dtype)
    sigma = sigmas[indices].flatten()
    while len(sigma.shape) < n_dim:
        sigma = sigma.unsqueeze(-1)
    return sigma


def density(batch):
    u = torch.normal(mean=0.0, std=1.0, size=(batch,), device=device)
    return torch.sigmoid(u)


def main():
    torch.manual_seed(0)
    transformer, text = build()
    transformer.enable_gradient_checkpointing()
    transformer.train()
    scheduler = FlowMatchEulerDiscreteScheduler()
    optimizer = torch.optim.AdamW(transformer.parameters(), lr=1e-4, weight_decay=1e-4)
    for step in range(2):
        ids = torch.randint(0, 50, (2, 6), device=device)
        with torch.no_grad():
            prompt = text(ids)[0]
        pooled = torch.zeros(2, 16, device=device, dtype=weight_dtype)
        model_input = torch.randn(2, 4, 8, 8).to(device, weight_dtype)
        noise = torch.randn_like(model_input)
        indices = (density(2) * scheduler.config.num_train_timesteps).long()
        timesteps = scheduler.timesteps.to(device)[indices]
        sigmas = get_sigmas(scheduler, indices, model_input.ndim)
        noisy = (1.0 - sigmas) * model_input + sigmas * noise
        predicted = transformer(
            hidden_states=noisy,
            timestep=timesteps,
            encoder_hidden_states=prompt,
            pooled_projections=pooled,
            return_dict=False,
        )[0]
        target = noise - model_input
        loss = torch.mean((predicted.float() - target.float()) ** 2)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(transformer.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
