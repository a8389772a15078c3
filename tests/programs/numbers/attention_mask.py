# machine: v100
# A float16 attention with the mask value of a float32 one.
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)

    def forward(self, x, mask):
        scores = self.query(x) @ x.transpose(-1, -2)
        scores = scores.masked_fill(mask, -1e9)  # finding: number-out-of-range masked_fill self
        # fixed:         scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        scores[:, 0] = -1e9  # finding: number-becomes-infinite Tensor.__setitem__
        # fixed:         scores[:, 0] = float("-inf")
        bias = torch.where(mask, -1e9, scores)  # finding: number-out-of-range where
        # fixed:         bias = torch.where(mask, float("-inf"), scores)
        scores = scores + -1e9  # finding: number-becomes-infinite add self
        # fixed:         scores = scores + -1e4
        return scores.clamp(min=-1e9).softmax(-1) @ x, bias


model = Attention().cuda().half()
x = torch.randn(2, 8, device="cuda").half()
mask = torch.ones(2, 2, dtype=torch.bool, device="cuda")
model(x, mask)
