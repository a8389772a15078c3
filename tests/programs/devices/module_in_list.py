# machine: v100
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.towers = [nn.Linear(8, 8)]
        # fixed: self.towers = nn.ModuleList([nn.Linear(8, 8)])
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.towers[0](x))  # finding: operand-device-mismatch linear weight  # consequence: operand-device-mismatch linear input


model = Model().cuda()
model(torch.randn(2, 8, device="cuda"))
