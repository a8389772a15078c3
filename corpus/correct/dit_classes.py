# machine: t4
"""Train a class-conditional diffusion transformer with label dropout, float16 autocast; sample at the end."""

import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, DiTTransformer2DModel

CLASSES = 10
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def build():
    return DiTTransformer2DModel(
        in_channels=4, out_channels=4, norm_num_groups=4, num_embeds_ada_norm=CLASSES, num_layers=1,
        num_attention_heads=2, attention_head_dim=8, sample_size=8,
    )


def drop_labels(labels, chance):
    drop = torch.rand(labels.shape, device=labels.device) < chance
    return torch.where(drop, torch.full_like(labels, CLASSES), labels)


def step(model, scheduler, optimizer, scaler, latents, labels):
    noise = torch.randn_like(latents)
    t = torch.randint(0, 1000, (latents.shape[0],), device=device).long()
    noisy = scheduler.add_noise(latents, noise, t)
    with torch.autocast(device.type, dtype=torch.float16):
        predicted = model(noisy, timestep=t, class_labels=drop_labels(labels, 0.1)).sample
        loss = F.mse_loss(predicted, noise)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    return loss


@torch.no_grad()
def sample(model, scheduler, labels):
    scheduler.set_timesteps(2)
    x = torch.randn(len(labels), 4, 8, 8, device=device)
    for t in scheduler.timesteps:
        times = t.to(device).expand(len(labels))
        x = scheduler.step(model(x, timestep=times, class_labels=labels).sample, t, x).prev_sample
    return x


def main():
    torch.manual_seed(0)
    model = build().to(device)
    scheduler = DDPMScheduler()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scaler = torch.amp.GradScaler(device.type)
    for number in range(2):
        latents = torch.randn(2, 4, 8, 8).to(device)
        labels = torch.randint(0, CLASSES, (2,)).to(device)
        loss = step(model, scheduler, optimizer, scaler, latents, labels)
        print(f"step {number}: {loss.item():.4f}")
    model.eval()
    x = sample(model, DDPMScheduler(), torch.tensor([1, 7], device=device))
    print(f"sampled {x.std().item():.2f}")


if __name__ == "__main__":
    main()
