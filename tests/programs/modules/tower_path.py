# machine: v100
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.towers = [nn.Conv2d(3, 4, 2)]  # no submodule: .half() passes it by  # origin

    def forward(self, x):
        return self.towers[0](x)  # finding: operand-dtype-mismatch conv2d weight


model = Model().half()
model(torch.zeros(1, 3, 4, 4, dtype=torch.float16))
