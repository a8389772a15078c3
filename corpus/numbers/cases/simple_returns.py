"""exp(r) - 1 of daily returns of a thousandth, in bfloat16."""
import torch

torch.manual_seed(0)
daily = (torch.randn(1000) * 1e-3).bfloat16()
simple = torch.exp(daily) - 1  # fault: cancellation


def harm():
    right = torch.expm1(daily.double())
    return ((simple.double() - right).norm() / right.norm()).item()

# right:
#- simple = torch.exp(daily) - 1
#+ simple = torch.expm1(daily)
