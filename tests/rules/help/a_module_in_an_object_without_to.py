# machine: 2xa100
# help: move `nn.Linear(4, 4)` at a_module_in_an_object_without_to.py:7: .to("cuda")
import torch
from torch import nn

class Loss:
    def __init__(self): self.encoder = nn.Linear(4, 4)
    def __call__(self, x): return self.encoder(x)
loss = Loss()
loss(torch.randn(2, 4, device="cuda"))
