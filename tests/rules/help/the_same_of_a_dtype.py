# machine: 2xa100
# help: cast `nn.Linear(4, 4)` at the_same_of_a_dtype.py:7: .to(torch.bfloat16)
import torch
from torch import nn

class Loss:
    def __init__(self): self.encoder = nn.Linear(4, 4)
    def __call__(self, x): return self.encoder(x)
loss = Loss()
loss(torch.randn(2, 4, dtype=torch.bfloat16))
