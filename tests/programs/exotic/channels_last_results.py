# machine: a100
# real: cpu
# Convolutions of an input or a weight in channels_last give channels_last, whose results cannot be viewed as rows.
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
last = torch.channels_last
plain, kept = nn.Conv2d(8, 16, 3).to(dev), nn.Conv2d(8, 16, 1).to(dev, memory_format=last)
x = torch.randn(2, 8, 6, 6, device=dev)
assert plain(x).is_contiguous() and not kept(x).is_contiguous()
for out in plain(x.to(memory_format=last)), kept(x), F.conv_transpose2d(x.to(memory_format=last), plain.weight[:8]):
    assert out.is_contiguous(memory_format=last) and not out.is_contiguous() and out.requires_grad
refused = 0
try:
    kept(x).view(2, 16, -1).view(-1)
except RuntimeError as error:
    refused += "view size is not compatible" in str(error)
try:
    nn.Conv1d(8, 4, 3, device=dev)(torch.randn(2, 10, 8, device=dev).transpose(1, 2)).transpose(1, 2).view(2, -1)
except RuntimeError as error:
    refused += "view size is not compatible" in str(error)
assert refused == 2
kept(x).reshape(2, -1).sum().backward()
assert kept.weight.grad.shape == kept.weight.shape
assert torch.randn(2, 1, 5, 5).to(memory_format=last).stride() == (25, 1, 5, 1)
plain(x.to(memory_format=last).half())  # finding: operand-dtype-mismatch conv2d weight
