"""Smoothed labels are filled into a copy of the one-hot labels, which is int64: all of them become 0."""
import torch

torch.manual_seed(0)
labels = torch.randint(0, 5, (12,))
onehot = torch.nn.functional.one_hot(labels, 5)
soft = onehot.clone()
soft[soft == 0] = 0.02  # fault: rounding-of-integers
loss = -(soft * torch.randn(12, 5).log_softmax(-1)).sum(-1).mean()


def harm():
    return abs(soft.sum(1).float().mean().item() - 1.08)

# right:
#- soft = onehot.clone()
#+ soft = onehot.float()
