"""Attention scores are computed in float16 and scaled afterwards: with an outlier channel the product passes 65504."""
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.proj = nn.Linear(dim, dim)

    def forward(self, q, k, v):
        b, n, d = q.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = (q @ k.transpose(-2, -1)).float() / q.shape[-1] ** 0.5  # fault: overflow
        weights = scores.softmax(dim=-1).to(v.dtype)
        return self.proj((weights @ v).transpose(1, 2).reshape(b, n, d))


torch.manual_seed(0)
layer = Attention(64, heads=2).half().eval()
q, k, v = torch.randn(3, 2, 16, 64).half()
q[..., 3] = 280.0
k[..., 3] = 280.0  # an outlier channel
with torch.no_grad():
    out = layer(q, k, v)


def harm():
    return float(out.isnan().float().mean().item())

# right:
#-         scores = (q @ k.transpose(-2, -1)).float() / q.shape[-1] ** 0.5
#+         scores = (q.float() @ k.float().transpose(-2, -1)) / q.shape[-1] ** 0.5
