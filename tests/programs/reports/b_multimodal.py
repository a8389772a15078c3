# machine: v100
# MiniCPM-V #318: the vision tower is kept in a list, so .half() and .cuda() pass it by.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.vision = [nn.Conv2d(3, 8, 4, 4)]
        # fixed: self.vision = nn.ModuleList([nn.Conv2d(3, 8, 4, 4)])
        self.llm = nn.Linear(8, 8)

    def forward(self, image):
        features = self.vision[0](image.to(self.llm.weight.dtype))  # finding: operand-dtype-mismatch conv2d weight; operand-device-mismatch conv2d weight
        return self.llm(features.flatten(2).mean(-1))  # consequence: operand-dtype-mismatch linear input; operand-device-mismatch linear input


model = Model().half().cuda()
model(torch.rand(1, 3, 8, 8, device="cuda"))
