"""The share of training that is done, step / total, is a bfloat16 tensor from which a schedule takes 1 - share near the end."""
import torch


def rate(step, total, like):
    share = torch.tensor(step / total).to(like.dtype)
    left = 1 - share  # fault: cancellation
    return left.float() ** 2


weights = torch.zeros(2, dtype=torch.bfloat16)
rates = torch.stack([rate(step, 10_000, weights) for step in range(9_900, 10_000)])


def harm():
    exact = (1 - torch.arange(9_900, 10_000).double() / 10_000) ** 2
    return ((rates.double() - exact).norm() / exact.norm()).item()

# right:
#- weights = torch.zeros(2, dtype=torch.bfloat16)
#+ weights = torch.zeros(2)
