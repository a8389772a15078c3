# machine: v100
"""SDXL inpainting, everything in float16: nine input channels, pooled embeddings, time ids."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, EulerDiscreteScheduler, UNet2DConditionModel


@dataclass
class Setup:
    device: torch.device
    dtype: torch.dtype
    resolution: int = 16


def make_unet():
    return UNet2DConditionModel(
        sample_size=8,
        in_channels=9,
        out_channels=4,
        block_out_channels=(8, 16),
        layers_per_block=1,
        norm_num_groups=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=2,
        addition_embed_type="text_time",
        addition_time_embed_dim=4,
        projection_class_embeddings_input_dim=40,
        use_linear_projection=True,
        transformer_layers_per_block=(1, 2),
    )


class Sample:
    def __init__(self, setup, index):
        self.setup = setup
        self.index = index

    def mask(self):
        size = self.setup.resolution
        if self.index % 2 == 0:
            pixels = np.zeros((size, size), dtype=np.uint8)
            pixels[4:12, 4:12] = 255
            return torch.from_numpy(pixels)[None].to(self.setup.dtype) / 255
        return torch.ones(1, size, size, dtype=self.setup.dtype)

    def load(self):
        size = self.setup.resolution
        return {
            "latent": torch.randn(4, 8, 8, dtype=self.setup.dtype),
            "mask": self.mask(),
            "prompt": torch.randn(6, 16, dtype=self.setup.dtype),
            "pooled": torch.randn(16, dtype=self.setup.dtype),
            "time_ids": torch.tensor([size, size, 0, 0, size, size], dtype=self.setup.dtype),
        }


def collate(samples, setup):
    return {name: torch.stack([s[name] for s in samples]).to(setup.device) for name in samples[0]}


def predict(unet, latent, mask, hidden, t, batch):
    unet_input = torch.cat([latent, mask, hidden], dim=1)
    added = {"text_embeds": batch["pooled"], "time_ids": batch["time_ids"]}
    return unet(unet_input, t, encoder_hidden_states=batch["prompt"], added_cond_kwargs=added).sample


def train_step(unet, scheduler, optimizer, batch):
    latent = batch["latent"]
    mask = F.interpolate(batch["mask"], size=latent.shape[-2:])
    hidden = latent * (1 - mask)
    noise = torch.randn_like(latent)
    t = torch.randint(0, 1000, (latent.shape[0],), device=latent.device)
    noisy = scheduler.add_noise(latent, noise, t)
    predicted = predict(unet, noisy, mask, hidden, t, batch)
    loss = (F.mse_loss(predicted.float(), noise.float(), reduction="none") * mask.float()).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


@torch.no_grad()
def paint(unet, batch, steps=2):
    scheduler = EulerDiscreteScheduler()
    scheduler.set_timesteps(steps, device=batch["latent"].device)
    mask = F.interpolate(batch["mask"], size=batch["latent"].shape[-2:])
    latent = torch.randn_like(batch["latent"]) * scheduler.init_noise_sigma
    for t in scheduler.timesteps:
        scaled = scheduler.scale_model_input(latent, t)
        noise = predict(unet, scaled, mask, batch["latent"] * (1 - mask), t, batch)
        latent = scheduler.step(noise, t, latent).prev_sample
    return latent * mask + batch["latent"] * (1 - mask)


def main():
    torch.manual_seed(0)
    setup = Setup(torch.device("cuda" if torch.cuda.is_available() else "cpu"), torch.float16)
    unet = make_unet().to(setup.device, setup.dtype)
    optimizer = torch.optim.SGD(unet.parameters(), lr=1e-3)
    for step in range(2):
        batch = collate([Sample(setup, step).load(), Sample(setup, step + 1).load()], setup)
        print(f"step {step}: {train_step(unet, DDPMScheduler(), optimizer, batch):.4f}")
    print(f"painted {paint(unet, batch).float().std().item():.2f}")


if __name__ == "__main__":
    main()
