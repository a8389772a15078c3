# machine: a100
# What is moved back to the CPU is odd, not what follows the model to where it was.
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 4, 4)  # origin

    def forward(self, x):
        features = self.patch(x).mean((2, 3))  # finding: operand-device-mismatch conv2d weight
        return head(features)  # consequence: operand-device-mismatch linear input


device = torch.device("cuda")
tower = Tower().to(device)  # origin
head = nn.Linear(8, 2).to(device)
tower.to("cpu")  # origin
# fixed: pass
tower(torch.rand(1, 3, 8, 8).to(device))
