"""Probabilities are bounded by float32's tiny before a logarithm, but they are float16, where it is 0."""
import torch
from torch import nn

TINY = torch.finfo(torch.float32).tiny


def entropy(p):
    safe = p.clamp(min=TINY)  # fault: eps-vanishes
    return -(safe * safe.log()).sum(-1)


torch.manual_seed(0)
router = nn.Linear(16, 8)
with torch.no_grad():
    router.weight.mul_(20)
p = router(torch.randn(32, 16)).softmax(-1)
dtype = torch.float16
h = entropy(p.to(dtype))


def harm():
    return (~h.isfinite()).float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
