"""Gradients are sent between workers in float16 by a hook on each weight; those of a small loss are 0 on arrival."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


def compress(net, workers, dtype):
    def hook(grad):
        sent = grad.div(workers).to(dtype)  # fault: underflow
        return sent.float().mul(workers)  # the sum over workers that are all alike

    for p in net.parameters():
        p.register_hook(hook)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 32))
twin = copy.deepcopy(net).double()
compress(net, 64, torch.float16)
x = torch.randn(64, 32)
target = net(x).detach() + 1e-3 * torch.randn(64, 32)
loss = F.mse_loss(net(x), target)
loss.backward()
sent = [p.grad.clone() for p in net.parameters()]


def harm():
    true = torch.autograd.grad(F.mse_loss(twin(x.double()), target.double()), list(twin.parameters()))
    return max(((s - t).norm() / t.norm()).item() for s, t in zip(sent, true))

# right:
#- compress(net, 64, torch.float16)
#+ compress(net, 64, torch.bfloat16)
