"""Gradients of a scaled loss are applied by torch._foreach_add_ with alpha=-lr, nobody unscales them."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
weights = list(net.parameters())
first = [w.detach().clone() for w in weights]
for _ in range(3):
    with torch.autocast("cpu", torch.float16):
        out = net(torch.randn(16, 6))
    grads = torch.autograd.grad(scaler.scale(out.float().square().mean()), weights)
    scale = 1.0
    with torch.no_grad():
        torch._foreach_add_(weights, grads, alpha=-1e-3 / scale)  # fault: scaler-misuse


def harm():
    return sum((w - f).norm().item() for w, f in zip(weights, first))

# right:
#-     scale = 1.0
#+     scale = scaler.get_scale()
