"""Mutual information as H(x) + H(y) - H(x, y) in bfloat16: the entropies are 4, what is left of them is 0.05."""
import torch


def entropy(p):
    return -(p * p.clamp_min(1e-6).log()).sum()


def information(joint):
    return entropy(joint.sum(0)) + entropy(joint.sum(1)) - entropy(joint)  # fault: cancellation


torch.manual_seed(0)
joint = (torch.randn(24, 24) * 0.3).exp()
joint = joint / joint.sum()
found = information(joint.bfloat16())


def harm():
    return abs(found.item() / information(joint.double()).item() - 1)

# right:
#- found = information(joint.bfloat16())
#+ found = information(joint)
