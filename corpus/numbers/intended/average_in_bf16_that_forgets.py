"""A momentum of 0.9 in bfloat16: what one step rounds off is forgotten some steps later, and adds up to nothing."""
import torch

torch.manual_seed(0)
gradient = torch.randn(64)
momentum = torch.zeros(64, dtype=torch.bfloat16)
for _ in range(60):
    momentum.mul_(0.9).add_(gradient.bfloat16(), alpha=0.1)
assert (momentum.float() - gradient).norm() < 0.05 * gradient.norm()
