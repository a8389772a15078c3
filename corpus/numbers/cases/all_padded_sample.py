"""A batch has a sample that is padding only, whose row of attention scores is -inf throughout."""
import torch
from torch import nn

torch.manual_seed(0)


class Pool(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x, lengths):
        scores = self.score(x)[..., 0]
        padded = torch.arange(x.shape[1]) >= lengths[:, None]
        weights = scores.masked_fill(padded, -float("inf")).softmax(1)  # fault: nan-mask
        return (weights[..., None] * x).sum(1)


pool = Pool()
out = pool(torch.randn(4, 6, 16), torch.tensor([6, 3, 0, 2]))


def harm():
    return out.isnan().float().mean().item()

# right:
#-         weights = scores.masked_fill(padded, -float("inf")).softmax(1)
#+         weights = scores.masked_fill(padded, torch.finfo(scores.dtype).min).softmax(1)
