# machine: v100
import torch
from torch import nn

levels = torch.linspace(0.1, 0.9, 10)
device = torch.device("cuda")
net = nn.Linear(4, 4).to(device, torch.float16)
x = torch.randn(1, 4, device=device, dtype=torch.float16)
alphas = levels.to(device)
noisy = (x - (1 - alphas[:1]).sqrt() * x) / alphas[:1].sqrt()
net(noisy)

# fixed:
#- noisy = (x - (1 - alphas[:1]).sqrt() * x) / alphas[:1].sqrt()
#+ noisy = ((x - (1 - alphas[:1]).sqrt() * x) / alphas[:1].sqrt()).to(x.dtype)
