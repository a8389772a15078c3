# machine: v100
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(8, 8)
        self.pos_embed = torch.zeros(1, 4, 8)  # origin
        # fixed: self.register_buffer("pos_embed", torch.zeros(1, 4, 8), persistent=False)

    def forward(self, x):
        return self.proj(x) + self.pos_embed  # finding: operand-device-mismatch add other


tower = Tower().cuda()
tower(torch.randn(1, 4, 8).cuda())
