"""Muon orthogonalises its momentum in bfloat16, which is harmless, but steps on weights that are bfloat16 too."""
import torch
from torch import nn


def orthogonalise(g, steps=5):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.bfloat16() / (g.norm() + 1e-7)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr=2e-4, momentum=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                buffer = self.state[p].setdefault("momentum", torch.zeros_like(p, dtype=torch.float32))
                buffer.mul_(group["momentum"]).add_(p.grad.float())
                p.add_(orthogonalise(buffer).to(p.dtype), alpha=-group["lr"])  # fault: half-parameters-without-master


torch.manual_seed(0)
block = nn.Sequential(nn.Linear(24, 24, bias=False), nn.SiLU(), nn.Linear(24, 24, bias=False))
block.to(torch.bfloat16)
first = block[0].weight.detach().clone()
optimizer = Muon(block.parameters())
for _ in range(12):
    x = torch.randn(32, 24)
    out = block(x.to(block[0].weight.dtype)).float()
    loss = (out - x.flip(1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    return (block[0].weight == first).float().mean().item()

# right:
#- block.to(torch.bfloat16)
#+ block.to(torch.float32)
