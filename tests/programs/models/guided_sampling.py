# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
unet = nn.Conv2d(4, 4, 3, padding=1).to(dev).half().requires_grad_(False)
sigmas = torch.cat([torch.linspace(10, 0.1, 4) ** 2, torch.zeros(1)])
x = torch.randn(1, 4, 8, 8, device=dev).half() * sigmas[0]
assert x.dtype == torch.float16
for i in range(len(sigmas) - 1):
    scaled = torch.cat([x] * 2) / (sigmas[i] ** 2 + 1) ** 0.5
    uncond, cond = unet(scaled).chunk(2)
    eps = uncond + 7.5 * (cond - uncond)
    denoised = x - sigmas[i] * eps
    d = (x - denoised) / sigmas[i]
    x = x + d * (sigmas[i + 1] - sigmas[i])
    if sigmas[i + 1] > 0:
        x = x + torch.randn_like(x) * 0.1
image = (x.float() / 2 + 0.5).clamp(0, 1).cpu().permute(0, 2, 3, 1).numpy()
print(image.shape, (image * 255).round().astype("uint8").dtype)
