"""|a|^2 + |b|^2 - 2ab in bfloat16: distances of near points are rounding, some negative."""
import torch

torch.manual_seed(0)
anchors = torch.randn(16, 32).bfloat16()
others = anchors + (torch.randn(16, 32) * 0.2).bfloat16()
lengths = anchors.square().sum(1) + others.square().sum(1)
distances = lengths - 2 * (anchors * others).sum(1)  # fault: cancellation


def harm():
    exact = (anchors.double() - others.double()).square().sum(1)
    return ((distances.double() - exact).norm() / exact.norm()).item()

# right:
#- lengths = anchors.square().sum(1) + others.square().sum(1)
#- distances = lengths - 2 * (anchors * others).sum(1)
#+ anchors, others = anchors.float(), others.float()
#+ distances = (anchors - others).square().sum(1)
