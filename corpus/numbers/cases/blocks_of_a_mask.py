"""A local window and a padding mask are added as -inf: the last query's window holds padding only."""
import torch
from torch import nn


class Local(nn.Module):
    def __init__(self, window, low):
        super().__init__()
        self.window, self.low = window, low

    def bias(self, length, keep):
        place = torch.arange(length)
        near = (place[:, None] - place).abs() <= self.window
        bias = torch.full((length, length), self.low).masked_fill(near, 0.0)
        return bias[None] + torch.full(keep.shape, self.low).masked_fill(keep, 0.0)[:, None]

    def forward(self, q, k, v, keep):
        scores = q @ k.mT + self.bias(q.shape[1], keep)
        return scores.softmax(-1) @ v  # fault: nan-mask


torch.manual_seed(0)
q, k, v = torch.randn(3, 2, 10, 8)
keep = torch.arange(10) < torch.tensor([[10], [6]])
out = Local(2, -torch.inf)(q, k, v, keep)


def harm():
    return out.isnan().float().mean().item()

# right:
#- out = Local(2, -torch.inf)(q, k, v, keep)
#+ out = Local(2, -1e8)(q, k, v, keep)
