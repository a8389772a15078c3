"""A float16 network with BatchNorm of momentum 0.0002 in training: running_mean and running_var do not come along."""
import torch
from torch import nn


class Block(nn.Sequential):
    def __init__(self, channels, dtype):
        super().__init__(nn.Conv1d(channels, channels, 3, padding=1), nn.BatchNorm1d(channels, momentum=2e-4), nn.ReLU())
        self.to(dtype)


torch.manual_seed(0)
block = Block(4, torch.bfloat16).train()
with torch.no_grad():
    for _ in range(100):
        block(torch.randn(8, 4, 32).to(block[0].weight.dtype) + 2)  # fault: statistics-in-half


def harm():
    way = 1 - block[1].running_var.float().mean().item()
    torch.manual_seed(1)
    with torch.no_grad():
        hidden = block[0](torch.randn(512, 4, 32).to(block[0].weight.dtype) + 2)
    exact = (1 - hidden.float().var((0, 2)).mean().item()) * (1 - 0.9998**100)
    return abs(way / exact - 1)

# right:
#- block = Block(4, torch.bfloat16).train()
#+ block = Block(4, torch.float32).train()
