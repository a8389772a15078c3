"""Limbs that were not seen are moved to (0, 0) and masked behind torch.hypot, whose gradient there is 0 / 0."""
import torch
from torch import nn


class LimbLoss(nn.Module):
    limbs = torch.tensor([[0, 1], [1, 2], [2, 3], [0, 4], [4, 5]])

    def forward(self, points, lengths, seen):  # (batch, joints, 2)
        d = points[:, self.limbs[:, 0]] - points[:, self.limbs[:, 1]]
        d = d * seen[..., None]
        size = torch.hypot(*d.unbind(-1))  # fault: nan-mask
        return ((size - lengths).abs() * seen).sum() / seen.sum()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 12), nn.Unflatten(1, (6, 2)))
seen = torch.rand(16, 5) < 0.8
loss = LimbLoss()(net(torch.randn(16, 32)), torch.rand(16, 5), seen)
loss.backward()


def harm():
    return net[0].weight.grad.isnan().float().mean().item() if loss.isfinite() else 2.0

# right:
#-         d = d * seen[..., None]
#+         d = d.masked_fill(~seen[..., None], 1.0)
