"""The inner step of MAML takes gradients of a scaled loss and goes by them as they are: 1024 times too far."""
import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
losses = []


def loss_of(params, x, y):
    with torch.autocast("cpu", torch.float16):
        out = functional_call(net, params, (x,))
    return (out.float() - y).square().mean()


def adapt(params, x, y, lr=0.01):
    grads = torch.autograd.grad(scaler.scale(loss_of(params, x, y)), list(params.values()))
    return {k: p - lr * g for (k, p), g in zip(params.items(), grads, strict=True)}  # fault: scaler-misuse


for _ in range(4):
    w = torch.randn(8, 1)
    x, x2 = torch.randn(16, 8), torch.randn(16, 8)
    fast = adapt(dict(net.named_parameters()), x, x @ w)
    loss = loss_of(fast, x2, x2 @ w)
    losses.append(loss.item())
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()


def harm():
    return float(max(losses) > 100)

# right:
#-     return {k: p - lr * g for (k, p), g in zip(params.items(), grads, strict=True)}
#+     grads = [g / scaler.get_scale() for g in grads]
#+     return {k: p - lr * g for (k, p), g in zip(params.items(), grads, strict=True)}
