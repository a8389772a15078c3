"""A GAN clips both networks, but only the generator's gradients are unscaled: the critic's are clipped at 65536 times."""
import torch
from torch import nn

torch.manual_seed(0)
g, d = nn.Linear(4, 4), nn.Linear(4, 1)
og, od = torch.optim.SGD(g.parameters(), lr=0.1), torch.optim.SGD(d.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
before = d.weight.detach().clone()
with torch.autocast("cpu", torch.float16):
    score = d(g(torch.randn(16, 4)))
scaler.scale(score.float().square().mean() + score.float().mean()).backward()
scaler.unscale_(og)
nn.utils.clip_grad_norm_(g.parameters(), 1.0)
nn.utils.clip_grad_norm_(d.parameters(), 1.0)  # fault: scaler-misuse
scaler.step(og)
scaler.step(od)
scaler.update()


def harm():
    return 1.0 if (d.weight - before).norm().item() < 1e-3 else 0.0

# right:
#- scaler.unscale_(og)
#+ scaler.unscale_(og)
#+ scaler.unscale_(od)
