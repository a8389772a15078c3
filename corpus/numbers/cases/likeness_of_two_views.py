"""SimSiam's loss, 2 less twice a cosine, is taken of the bfloat16 outputs of an autocast block: late in training it is a few steps."""
import torch
import torch.nn.functional as F
from torch import nn


class SimSiam(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.predict = nn.Linear(64, 128), nn.Linear(128, 128, bias=False)
        self.predict.weight.data.copy_(torch.eye(128))

    @torch.autocast("cpu", torch.bfloat16)
    def forward(self, one, two):
        z1, z2 = self.net(one), self.net(two)
        return self.predict(z1), self.predict(z2), z1.detach(), z2.detach()


def away(p, z):
    return 2 - 2 * (F.normalize(p, dim=-1) * F.normalize(z, dim=-1)).sum(-1)  # fault: statistics-in-half


torch.manual_seed(0)
model = SimSiam()
x = torch.randn(64, 64)
outputs = model(x, x + 0.05 * torch.randn(64, 64))
p1, p2, z1, z2 = outputs
losses = away(p1, z2).float() / 2 + away(p2, z1).float() / 2


def harm():
    p1, p2, z1, z2 = (one.double() for one in outputs)
    true = away(p1, z2) / 2 + away(p2, z1) / 2
    return ((losses - true).square().mean().sqrt() / true.mean()).item()

# right:
#- p1, p2, z1, z2 = outputs
#+ p1, p2, z1, z2 = (one.float() for one in outputs)
