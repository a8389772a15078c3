"""The timestep of a sampler is put into a tensor with the dtype of the network and then used as an index."""
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, channels=4, steps=1000):
        super().__init__()
        self.time = nn.Embedding(steps, channels)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x, t):
        return self.conv(x + self.time(t)[:, :, None, None])


torch.manual_seed(0)
alphas_cumprod = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000), dim=0)
unet = Denoiser().to(torch.bfloat16).eval()
latents = torch.randn(2, 4, 8, 8)
used = []
stride = 20
for step in range(981, 0, -stride):
    noisy = latents.to(torch.bfloat16)
    t = torch.full((2,), step, dtype=noisy.dtype).long()  # fault: index-in-half
    used.append(t[0].item())
    with torch.no_grad():
        eps = unet(noisy, t).float()
    a_t = alphas_cumprod[t].view(-1, 1, 1, 1)
    a_prev = alphas_cumprod[(t - stride).clamp(min=0)].view(-1, 1, 1, 1)
    x0 = (latents - (1 - a_t).sqrt() * eps) / a_t.sqrt()
    latents = a_prev.sqrt() * x0 + (1 - a_prev).sqrt() * eps


def harm():
    right = list(range(981, 0, -20))
    wrong = sum(a != b for a, b in zip(used, right))
    return float(wrong)

# right:
#-     t = torch.full((2,), step, dtype=noisy.dtype).long()
#+     t = torch.full((2,), step, dtype=torch.long)
