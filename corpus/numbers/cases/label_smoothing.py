"""Smoothed targets are made in bfloat16: 1 - 0.001 is 1, and what is left for the other classes is rounded."""
import torch
import torch.nn.functional as F


def smooth(labels, classes, amount, dtype):
    hot = F.one_hot(labels, classes).to(dtype)
    return hot * (1 - amount) + amount / classes  # fault: cancellation


def loss(logits, target):
    return -(target.float() * logits.log_softmax(-1)).sum(-1).mean()


torch.manual_seed(0)
logits, labels = torch.randn(32, 10) * 6, torch.randint(0, 10, (32,))
target = smooth(labels, 10, 0.001, torch.bfloat16)
value = loss(logits, target)
missing = 1 - target.double().sum(-1).mean().item()


def harm():
    return abs((1 - target.double().amax(-1).mean().item()) / 0.0009 - 1)

# right:
#- target = smooth(labels, 10, 0.001, torch.bfloat16)
#+ target = smooth(labels, 10, 0.001, torch.float32)
