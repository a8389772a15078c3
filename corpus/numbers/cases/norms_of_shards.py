"""The squares of the norms of shards are brought together in float16, as a pipeline's stages would reduce them."""
import torch
from torch import nn


def total_norm(shards, dtype):
    squares = [torch.linalg.vector_norm(one.grad.float()).to(dtype) ** 2 for one in shards]  # fault: overflow
    return torch.stack(squares).sum().sqrt()


def clip_(shards, most, dtype):
    length = total_norm(shards, dtype)
    factor = torch.clamp(most / (length + 1e-6), max=1.0)
    for one in shards:
        one.grad.mul_(factor.to(one.grad.dtype))
    return length


torch.manual_seed(0)
shards = [nn.Parameter(torch.randn(64, 64)) for _ in range(3)]
for one in shards:
    one.grad = torch.randn(64, 64) * 6
length = clip_(shards, 1.0, torch.float16)


def harm():
    return 1.0 if shards[0].grad.abs().sum().item() == 0 else 0.0

# right:
#- length = clip_(shards, 1.0, torch.float16)
#+ length = clip_(shards, 1.0, torch.float32)
