"""Gradients of 512 replicas are added up in float16, as an all-reduce without a division first: the sum is infinite."""
import torch


def reduce_mean(parts):
    total = torch.zeros_like(parts[0])
    for one in parts:
        total += one  # fault: overflow
    return total / len(parts)


torch.manual_seed(0)
grads = [(torch.rand(64) * 200 + 100).half() for _ in range(512)]
mean = reduce_mean(grads)


def harm():
    return 1 - mean.isfinite().float().mean().item()

# right:
#- mean = reduce_mean(grads)
#+ mean = reduce_mean([one.float() for one in grads]).half()
