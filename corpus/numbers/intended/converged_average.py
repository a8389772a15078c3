"""An average that has arrived: bfloat16 weights that no longer change, and their average is them."""
import torch

torch.manual_seed(0)
weights = torch.randn(64).bfloat16()
average = weights.clone()
for _ in range(10):
    average.lerp_(weights, 0.01)
    average.mul_(0.5).add_(weights, alpha=0.5)
