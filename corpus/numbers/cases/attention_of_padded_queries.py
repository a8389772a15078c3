"""scaled_dot_product_attention with an additive mask made of a padding mask on both sides: padded queries see nothing."""
import torch
import torch.nn.functional as F


def two_sided(lengths, longest):
    inside = torch.arange(longest)[None] < lengths[:, None]
    both = inside[:, :, None] & inside[:, None, :]
    return torch.zeros(both.shape).masked_fill(~both, float("-inf"))[:, None]


def attend(x, bias):
    scores = x @ x.transpose(-1, -2) * 0.25 + bias
    weights = F.softmax(scores, -1, dtype=torch.float32)  # fault: nan-mask
    return weights @ x


torch.manual_seed(0)
bias = two_sided(torch.tensor([5, 3]), 5)
x = torch.randn(2, 1, 5, 16)
out = attend(x, bias)


def harm():
    return out.isnan().float().mean().item()

# right:
#-     return torch.zeros(both.shape).masked_fill(~both, float("-inf"))[:, None]
#+     return torch.zeros(both.shape).masked_fill(~both, -1e9)[:, None]
