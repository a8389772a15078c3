"""A list of bfloat16 losses is added up with Python's sum before it is divided: late losses count for less."""
import torch
import torch.nn.functional as F
from torch import nn


def evaluate(net, batches):
    losses = [F.mse_loss(net(batch), batch) for batch in batches]
    return sum(losses) / len(losses)  # fault: accumulate-in-half


torch.manual_seed(0)
dtype = torch.bfloat16
net = nn.Linear(8, 8).to(dtype).requires_grad_(False)
batches = [torch.randn(4, 8).to(dtype) for _ in range(900)]
mean = evaluate(net, batches)


def harm():
    exact = sum(F.mse_loss(net(batch), batch).item() for batch in batches) / 900
    return abs(mean.item() / exact - 1)

# right:
#-     losses = [F.mse_loss(net(batch), batch) for batch in batches]
#+     losses = [F.mse_loss(net(batch).float(), batch.float()) for batch in batches]
