"""F.poisson_nll_loss of rates behind a ReLU: its eps of 1e-8 is 0 in float16, and the logarithm of a rate of 0 infinite."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1), nn.ReLU())
net[2].bias.data.fill_(0.3)
truth = 3 * torch.rand(8, 1, 16, 16)
photons = torch.poisson(truth)
with torch.autocast("cpu", torch.float16):
    rates = net(photons)
loss = F.poisson_nll_loss(rates, photons.half(), log_input=False)  # fault: eps-vanishes
loss.backward()


def harm():
    return 1 - net[0].weight.grad.isfinite().float().mean().item() + float(not loss.isfinite())

# right:
#- loss = F.poisson_nll_loss(rates, photons.half(), log_input=False)
#+ loss = F.poisson_nll_loss(rates.float(), photons.half(), log_input=False, eps=1e-4)
