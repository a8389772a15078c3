"""A LoRA adapter is merged into the bfloat16 weights of a diffusion model: its entries are below half their spacing and most of it is lost."""
import torch

torch.manual_seed(0)
width, rank, scaling = 256, 8, 0.5
base = (torch.randn(width, width) * 0.05).bfloat16()
down = torch.randn(rank, width) * 0.02
up = torch.randn(width, rank) * 1e-3
latents = torch.randn(64, width).bfloat16()
delta = scaling * (up @ down)
merged = base + delta.to(base.dtype)  # fault: half-parameters-without-master
output = latents.to(merged.dtype) @ merged.T


def harm():
    found = merged.double() - base.double()
    right = scaling * (up.double() @ down.double())
    return ((found - right).norm() / right.norm()).item()

# right:
#- merged = base + delta.to(base.dtype)
#+ merged = base.float() + delta
