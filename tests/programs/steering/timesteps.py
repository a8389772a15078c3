# machine: v100
# real: cpu
# A sampling loop that steers by the values of small tensors, on the CPU and on the GPU.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
timesteps = torch.linspace(999, 0, 5).round().long().to(dev)
betas = torch.linspace(1e-4, 0.02, 1000, dtype=torch.float32)
alphas = torch.cumprod(1 - betas, 0)
unet = nn.Conv2d(4, 4, 3, padding=1).to(dev).half()
x = torch.randn(1, 4, 8, 8, device=dev, dtype=torch.float16)
seen = []
for i, t in enumerate(timesteps):
    noise = unet(x)
    a = alphas[t.cpu()]
    previous = alphas[timesteps[i + 1].item()] if i + 1 < len(timesteps) else torch.tensor(1.0)
    x0 = (x - (1 - a).sqrt() * noise) / a.sqrt()
    x = previous.sqrt() * x0 + (1 - previous).sqrt() * noise
    if t > 500:
        seen.append(int(t))
assert seen == [999, 749] and timesteps.tolist() == [999, 749, 500, 250, 0] and x.dtype == torch.float16
