"""The ALiBi bias of a long sequence is built in bfloat16: neighbouring keys get the same bias."""
import math
import torch


def slopes(heads):
    return torch.tensor([2 ** (-8 * (h + 1) / heads) for h in range(heads)])


def attend(query, key, value):
    heads, length, dim = key.shape
    positions = torch.arange(length, device=key.device)
    bias = slopes(heads)[:, None].to(key.dtype) * positions.to(key.dtype)  # fault: index-in-half
    scores = query.float() @ key.float().transpose(1, 2) / math.sqrt(dim)
    weights = torch.softmax(scores + bias[:, None, :], dim=-1)
    return weights, (weights @ value.float()).to(value.dtype)


torch.manual_seed(0)
query = torch.randn(12, 1, 64).bfloat16()
key = torch.randn(12, 3000, 64).bfloat16()
value = torch.randn(12, 3000, 64).bfloat16()
weights, out = attend(query, key, value)


def harm():
    scores = query.double() @ key.double().transpose(1, 2) / 8
    right = torch.softmax(scores + slopes(12).double()[:, None, None] * torch.arange(3000), dim=-1)
    error = (weights.double() - right).abs().sum(-1).mean().item() / 2
    return float(error)

# right:
#-     bias = slopes(heads)[:, None].to(key.dtype) * positions.to(key.dtype)
#+     bias = slopes(heads)[:, None] * positions
