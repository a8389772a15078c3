# machine: v100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(1, 8), nn.SiLU(), nn.Linear(8, 8))
        self.inp, self.down = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, 2, 1)
        self.mid = nn.Sequential(nn.GroupNorm(2, 8), nn.SiLU(), nn.Conv2d(8, 8, 3, padding=1))
        self.out = nn.Conv2d(16, 3, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x)
        m = self.mid(self.down(h)) + self.time(t[:, None].to(x.dtype) / 1000)[:, :, None, None]
        return self.out(torch.cat([F.interpolate(m, scale_factor=2, mode="nearest"), h], 1))


dev = "cuda" if torch.cuda.is_available() else "cpu"
unet = UNet().to(dev)
alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000), 0).to(dev)
optimizer = torch.optim.AdamW(unet.parameters(), 1e-4)
for _ in range(2):
    clean = torch.rand(2, 3, 8, 8, device=dev) * 2 - 1
    t = torch.randint(0, 1000, (2,), device=dev).long()
    noise = torch.randn_like(clean)
    a = alphas[t][:, None, None, None]
    with torch.autocast(dev, dtype=torch.float16 if dev == "cuda" else torch.bfloat16):
        predicted = unet(a.sqrt() * clean + (1 - a).sqrt() * noise, t)
        snr = alphas[t] / (1 - alphas[t])
        weight = torch.stack([snr, 5.0 * torch.ones_like(t)], dim=1).min(dim=1)[0] / snr
        loss = (F.mse_loss(predicted.float(), noise.float(), reduction="none").mean([1, 2, 3]) * weight).mean()
    optimizer.zero_grad()
    loss.backward()  # finding: scaler-misused step param
    optimizer.step()
    assert not torch.isnan(loss)
