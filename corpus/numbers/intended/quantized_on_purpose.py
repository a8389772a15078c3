"""Weights rounded to int8 with a scale, and back; activations are rounded by a straight-through estimator."""
import torch

torch.manual_seed(0)
weight = torch.randn(32, 32)
scale = weight.abs().amax(1, keepdim=True) / 127
stored = (weight / scale).round().clamp(-128, 127).to(torch.int8)
restored = stored.float() * scale
inputs = torch.randn(4, 32, requires_grad=True)
rounded = inputs + ((inputs * 16).round() / 16 - inputs).detach()
(rounded @ restored.T).square().mean().backward()
