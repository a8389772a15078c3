"""Sizes of the clusters of a codebook, averaged with 0.99 in bfloat16."""
import torch

torch.manual_seed(0)
sizes = torch.full((16,), 100.0, dtype=torch.bfloat16)
for _ in range(600):
    chosen = torch.randint(0, 16, (1600,)).bincount(minlength=16)
    counts = (chosen.float() * 0.6).to(sizes.dtype)
    sizes.mul_(0.995).add_(counts, alpha=0.005)  # fault: state-in-half


def harm():
    return abs(sizes.double().mean().item() / 62.0 - 1)

# right:
#- sizes = torch.full((16,), 100.0, dtype=torch.bfloat16)
#+ sizes = torch.full((16,), 100.0)
