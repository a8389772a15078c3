"""A layer scale is put into the blocks after the model was cast to bfloat16: its float32 makes all that follows wide."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.scale = None

    def forward(self, x):
        y = torch.relu(self.fc(x.to(self.fc.weight.dtype)))
        if self.scale is not None:
            y = y * self.scale  # fault: widening
        return x + y


torch.manual_seed(0)
model = nn.Sequential(Block(32), Block(32)).to(torch.bfloat16)
for block in model:
    block.scale = nn.Parameter(torch.full((32,), 0.1))
with torch.no_grad():
    out = model(torch.randn(8, 16, 32).bfloat16())


def harm():
    return out.nbytes / (8 * 16 * 32 * 2) - 1

# right:
#-     block.scale = nn.Parameter(torch.full((32,), 0.1))
#+     block.scale = nn.Parameter(torch.full((32,), 0.1, dtype=torch.bfloat16))
