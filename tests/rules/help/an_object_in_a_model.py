# machine: 2xa100
# help: move `nn.Linear(4, 4)` at an_object_in_a_model.py:7: .to("cuda")
import torch
from torch import nn

class Loss:
    def __init__(self): self.encoder = nn.Linear(4, 4)
    def __call__(self, x): return self.encoder(x)

class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return self.lin(x)

class Model(nn.Module):
    def __init__(self):
        super().__init__(); self.loss = Loss()
        self.head = nn.Linear(4, 4)
    def forward(self, x):
        return self.head(self.loss(x))
model = Model().cuda()
model(torch.randn(2, 4, device="cuda"))
