"""A feed-forward layer squares its ReLU (as Primer does) in float16: a few activations above 256 become infinite."""
import torch
import torch.nn.functional as F
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        hidden = torch.relu(self.up(x))
        hidden = hidden.square()  # fault: overflow
        out = F.linear(hidden, self.down.weight.to(hidden.dtype)) / hidden.shape[-1]
        return out.to(x.dtype) + self.down.bias


torch.manual_seed(0)
layer = FeedForward(32, 64).half()
tokens = torch.randn(4, 50, 32).half()
tokens[:, 0] *= 300
with torch.no_grad():
    out = layer(tokens)


def harm():
    return (~out.isfinite()).float().mean().item()

# right:
#-         hidden = torch.relu(self.up(x))
#+         hidden = torch.relu(self.up(x)).float()
