"""Gradients of a scaled loss are subtracted by hand, nobody divides by the scale."""
import torch
from torch import nn


def train(net, batches, lr, scaler):
    for inputs, target in batches:
        net.zero_grad()
        with torch.autocast("cpu", torch.float16):
            loss = nn.functional.mse_loss(net(inputs).float(), target)
        scaler.scale(loss).backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= lr * p.grad  # fault: scaler-misuse


torch.manual_seed(0)
net = nn.Linear(6, 1)
first = net.weight.detach().clone()
batches = [(torch.randn(8, 6), torch.randn(8, 1)) for _ in range(4)]
train(net, batches, 1e-3, torch.amp.GradScaler("cpu", init_scale=1024.0))


def harm():
    return (net.weight - first).norm().item()

# right:
#-                 p -= lr * p.grad
#+                 p -= lr * p.grad / scaler.get_scale()
