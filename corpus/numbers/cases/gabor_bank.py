"""A bank of Gabor filters is drawn on a bfloat16 grid of 65 pixels: the carrier's angle is bfloat16 as well."""
import math

import torch
import torch.nn.functional as F


def gabor_bank(orientations, size, frequency, dtype):
    axis = torch.arange(size, dtype=dtype) - size // 2
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    filters = []
    for k in range(orientations):
        theta = math.pi * k / orientations
        along = x * math.cos(theta) + y * math.sin(theta)
        envelope = torch.exp(-(x.square() + y.square()) / (2 * 14.0**2))
        filters.append(envelope * torch.cos(2 * math.pi * frequency * along))  # fault: angle-in-half
    return torch.stack(filters)[:, None]


torch.manual_seed(0)
picture = torch.rand(1, 1, 96, 96).bfloat16()
bank = gabor_bank(4, 65, 0.21, torch.bfloat16).to(torch.bfloat16)
response = F.conv2d(picture, bank, stride=8)


def harm():
    exact = gabor_bank(4, 65, 0.21, torch.float64)
    return (bank.double() - exact).abs().sum().item() / exact.abs().sum().item()

# right:
#- bank = gabor_bank(4, 65, 0.21, torch.bfloat16).to(torch.bfloat16)
#+ bank = gabor_bank(4, 65, 0.21, torch.float32).to(torch.bfloat16)
