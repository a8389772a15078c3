# machine: a100
# Returns that are normalised, and then put into tensors one by one, as in PyTorch's actor-critic example.
import torch
from torch import nn

critic = nn.Linear(3, 1)
returns = torch.tensor([1.0, 2.0, 3.0])
returns = (returns - returns.mean()) / (returns.std() + 1e-6)
losses = [nn.functional.smooth_l1_loss(critic(torch.randn(3)), torch.tensor([one])) for one in returns]
torch.stack(losses).sum().backward()
