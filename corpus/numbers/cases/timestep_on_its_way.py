"""The schedule's timestep is cast to the model's bfloat16 on its way into a float32 sinusoid."""
import math

import torch
from torch import nn

torch.manual_seed(0)


def embedded(t, width=32):
    rates = torch.exp(-math.log(10000) * torch.arange(width // 2) / (width // 2))
    angle = t.float()[:, None] * rates
    return torch.cat([angle.cos(), angle.sin()], -1)


net = nn.Linear(32, 32).to(torch.bfloat16)
timesteps = torch.tensor([999.3986, 988.4937, 937.0, 833.0])
rows = []
for t in timesteps:
    t = t.unsqueeze(0).to(dtype=net.weight.dtype)  # fault: rounding-of-integers
    rows.append(embedded(t))
    with torch.no_grad():
        net(rows[-1].to(net.weight.dtype))


def harm():
    exact = embedded(timesteps)
    return (torch.cat(rows) - exact).abs().mean().item()

# right:
#-     t = t.unsqueeze(0).to(dtype=net.weight.dtype)
#+     t = t.unsqueeze(0)
