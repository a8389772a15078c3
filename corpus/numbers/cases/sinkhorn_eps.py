"""Sinkhorn in float16: an eps of 1e-9 keeps no empty column from a division by zero."""
import torch


def sinkhorn(scores, rounds=3, eps=1e-9):
    plan = scores.exp()
    plan[:, -1] = 0
    for _ in range(rounds):
        plan = plan / (plan.sum(1, keepdim=True) + eps)
        plan = torch.div(plan, plan.sum(0, keepdim=True).add(eps))  # fault: eps-vanishes
    return plan


torch.manual_seed(0)
plan = sinkhorn(torch.randn(24, 8).half())


def harm():
    return plan.isnan().float().mean().item()

# right:
#- def sinkhorn(scores, rounds=3, eps=1e-9):
#+ def sinkhorn(scores, rounds=3, eps=1e-5):
