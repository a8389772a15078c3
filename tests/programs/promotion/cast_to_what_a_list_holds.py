# machine: a100
# `x` takes the dtype of weights that are kept in a plain list: they are the cause, the cast is not.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.towers = [nn.Linear(4, 4)]  # origin
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        x = x.to(self.towers[0].weight.dtype)  # origin
        x = self.towers[0](x)
        return self.head(x)  # finding: operand-dtype-mismatch linear input


model = Model().to(torch.float16)
model(torch.randn(1, 4, dtype=torch.float16))
