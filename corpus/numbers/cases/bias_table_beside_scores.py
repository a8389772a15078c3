"""A float32 table of relative places is added to bfloat16 scores: all that follows is float32."""
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.length = length

    def near(self):
        places = torch.arange(self.length)
        return -(places[None] - places[:, None]).abs() * torch.tensor(0.25)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(1, 2) / x.shape[-1] ** 0.5
        weights = (scores + self.near()).softmax(-1)  # fault: widening
        seen.append(weights.element_size())
        return weights.to(v.dtype) @ v


torch.manual_seed(0)
seen = []
attention = Attention(16, 48).bfloat16()
with torch.no_grad():
    attention(torch.randn(2, 48, 16).bfloat16())


def harm():
    return seen[0] / 2 - 1

# right:
#-         weights = (scores + self.near()).softmax(-1)
#+         weights = (scores + self.near().to(scores.dtype)).softmax(-1)
