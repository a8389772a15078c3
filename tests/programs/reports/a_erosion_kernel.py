# machine: v100
# Sampling: an erosion kernel made without dtype.
import torch
from torch import nn


def erode(mask, size=3):
    kernel = nn.Conv2d(1, 1, size, padding=size // 2, bias=False)
    # fixed: kernel = nn.Conv2d(1, 1, size, padding=size // 2, bias=False, dtype=mask.dtype)
    kernel.weight.data.fill_(1 / size**2)
    kernel.requires_grad_(False).to(mask.device)
    return (kernel(mask) > 0.99).to(mask.dtype)  # finding: operand-dtype-mismatch conv2d weight


erode(torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.float16))
