"""Ranks of 5000 candidates by argsort of argsort are kept in float16 to be averaged over voters."""
import torch


def ranks(scores, dtype):
    order = scores.argsort(-1, descending=True)
    return order.argsort(-1).to(dtype)  # fault: rounding-of-integers


torch.manual_seed(0)
scores = torch.randn(3, 5000)
found = ranks(scores, torch.float16)
places = found.double().mean(0)


def harm():
    exact = scores.argsort(-1, descending=True).argsort(-1)
    return (found.double() != exact).double().mean().item()

# right:
#- found = ranks(scores, torch.float16)
#+ found = ranks(scores, torch.float32)
