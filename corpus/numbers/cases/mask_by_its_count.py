"""Weights of a masked mean by mask // count, integers: they are all 0."""
import torch

torch.manual_seed(0)
tokens = torch.randn(3, 9, 4)
mask = (torch.rand(3, 9) > 0.3).long()
weights = mask // mask.sum(1, keepdim=True)  # fault: rounding-of-integers
pooled = torch.einsum("bt,btd->bd", weights.float(), tokens)


def harm():
    exact = (mask[..., None] * tokens).sum(1) / mask.sum(1, keepdim=True)
    return ((pooled - exact).norm() / exact.norm()).item()

# right:
#- weights = mask // mask.sum(1, keepdim=True)
#+ weights = mask / mask.sum(1, keepdim=True)
