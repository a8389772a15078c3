"""A cosine rate as a tensor in the model's bfloat16: near the end 1 + cos is a step of 1/256 or 0."""
import math

import torch


def cosine_lr(step, total, base, like):
    progress = (step / total).to(like.dtype)
    return base * 0.5 * (1.0 + torch.cos(math.pi * progress))  # fault: cancellation


like = torch.zeros(1, dtype=torch.bfloat16)
total = 2000
steps = torch.arange(1800, 1990, 10, dtype=torch.float32)
rates = torch.stack([cosine_lr(s, total, 3e-4, like) for s in steps])


def harm():
    exact = 3e-4 * 0.5 * (1 + torch.cos(math.pi * steps.double() / total))
    return ((rates.double() - exact).abs() / exact).mean().item()

# right:
#- like = torch.zeros(1, dtype=torch.bfloat16)
#+ like = torch.zeros(1)
