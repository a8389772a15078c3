"""Roots and logarithms whose zeros are kept out, or never see a gradient; probabilities whose rest is taken exactly."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(100).clamp(min=0).requires_grad_()
safe = torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1.0)), 0.0)
length = (x.square() + 1e-6).sqrt()
(safe + length).sum().backward()
with torch.no_grad():
    root = torch.where(x > 0, torch.sqrt(x), 0.0)
p = torch.sigmoid(torch.randn(200).bfloat16())
rest = 1 - p
gate = p * 0.3 + rest * 0.7
exact = torch.log(1 - torch.sigmoid(torch.randn(200, dtype=torch.float64)))
loss = nn.functional.binary_cross_entropy_with_logits(torch.randn(200) * 4, torch.ones(200))
small = torch.log1p(torch.rand(64).bfloat16() * 1e-3)
weights = torch.softmax(torch.randn(4, 50).half(), -1)
scaled = weights * 0.5 + (1 - weights) * 0.1
