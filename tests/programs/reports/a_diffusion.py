# machine: v100
# OneTrainer #402 in miniature: a mask of ones without dtype promotes the input of the whole UNet.
import math

import torch
import torch.nn.functional as F
from torch import nn


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time_embedding = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 8))
        self.conv_in = nn.Conv2d(9, 8, 3, padding=1)
        self.conv_out = nn.Conv2d(8, 4, 3, padding=1)

    def forward(self, sample, t):
        freqs = torch.exp(-math.log(10000) * torch.arange(8, dtype=torch.float32, device=t.device) / 8)
        emb = t[:, None].float() * freqs[None]
        emb = torch.cat([emb.sin(), emb.cos()], -1).to(dtype=sample.dtype)
        emb = self.time_embedding(emb)  # finding: operand-dtype-mismatch linear input
        return self.conv_out(self.conv_in(sample) + emb[:, :, None, None])  # consequence: operand-dtype-mismatch conv2d input


unet = UNet().cuda().half()
unet.requires_grad_(True)
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
mask = torch.ones(2, 1, 8, 8, device="cuda")
# fixed: mask = torch.ones(2, 1, 8, 8, device="cuda", dtype=latent.dtype)
t = torch.randint(0, 1000, (2,), device="cuda")
x = torch.cat([latent, mask, latent], 1)
loss = F.mse_loss(unet(x, t).float(), torch.randn_like(latent).float())
loss.backward()
