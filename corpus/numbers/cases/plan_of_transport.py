"""Sinkhorn's kernel exp(-cost / 0.01) in float16 is 0 for all but the nearest: rows of 0 are divided by."""
import torch


def plan(cost, rounds, strength):
    kernel = torch.exp(-cost / strength)  # fault: underflow
    u = torch.ones(len(cost), dtype=kernel.dtype)
    for _ in range(rounds):
        v = 1 / (kernel.T @ u)
        u = 1 / (kernel @ v)
    return u[:, None] * kernel * v[None]


torch.manual_seed(0)
cost = torch.rand(12, 12) * 0.5 + 0.3
moved = plan(cost.half(), 3, 0.01)


def harm():
    return 1 - moved.isfinite().float().mean().item()

# right:
#- moved = plan(cost.half(), 3, 0.01)
#+ moved = plan(cost.double(), 3, 0.01)
