# machine: v100
import torch
from torch import nn


class Anchors(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = torch.tensor([6.0, 12.0])

    def forward(self, grid):
        x = torch.arange(grid, device=self.sizes.device) + 0.5
        y = torch.arange(grid, device=self.sizes.device) * 2.0
        return torch.stack([x, y], dim=1)[:, None] + self.sizes


anchors = Anchors().cuda()(4)
box = torch.rand(4, 1, 2, device="cuda")
low = torch.maximum(anchors, box)

# fixed:
#-         self.sizes = torch.tensor([6.0, 12.0])
#+         self.register_buffer("sizes", torch.tensor([6.0, 12.0]), persistent=False)
