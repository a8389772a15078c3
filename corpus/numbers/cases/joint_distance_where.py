"""The square root at 0 is hidden by torch.where, but its infinite derivative times 0 makes the gradient NaN."""
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(8, 6)
poses = torch.randn(16, 8)
joints = encoder(poses).view(16, 2, 3)
pairs = joints[:, :, None] - joints[:, None]  # the diagonal is exactly 0
squared = pairs.square().sum(-1)
distance = torch.where(squared > 0, squared.sqrt(), torch.zeros_like(squared))  # fault: nan-mask
loss = (distance - 0.5).square().mean()
loss.backward()


def harm():
    weight = encoder.weight.detach().double().requires_grad_()
    exact = (poses.double() @ weight.T + encoder.bias.detach().double()).view(16, 2, 3)
    bone = (exact[:, 0] - exact[:, 1]).norm(dim=-1)
    ((2 * (bone - 0.5).square() + 2 * 0.25) / 4).mean().backward()
    return ((encoder.weight.grad.double() - weight.grad).norm() / weight.grad.norm()).item()

# right:
#- distance = torch.where(squared > 0, squared.sqrt(), torch.zeros_like(squared))
#+ distance = torch.where(squared > 0, torch.where(squared > 0, squared, 1.0).sqrt(), torch.zeros_like(squared))
