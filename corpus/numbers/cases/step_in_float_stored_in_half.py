"""A hand-written Adam works in float32 and writes each step back to bfloat16 weights at 1, where 6e-4 is nothing."""
import torch
from torch import nn

torch.manual_seed(0)
norm = nn.LayerNorm(64).to(torch.bfloat16)
start = norm.weight.detach().clone()
moments = {p: torch.zeros_like(p, dtype=torch.float32) for p in norm.parameters()}


@torch.no_grad()
def step(lr=6e-4):
    for p, m in moments.items():
        m.lerp_(p.grad.float(), 0.1)
        new = p.float() - lr * m.sign()
        p.copy_(new)  # fault: half-parameters-without-master


for _ in range(50):
    norm.zero_grad()
    norm(torch.randn(8, 64).to(norm.weight.dtype)).float().square().sum().backward()
    step()


def harm():
    return 1 - min((norm.weight - start).abs().mean().item() / (50 * 6e-4 * 0.5), 1)

# right:
#- norm = nn.LayerNorm(64).to(torch.bfloat16)
#+ norm = nn.LayerNorm(64)
