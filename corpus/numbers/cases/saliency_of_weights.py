"""Pruning by saliency multiplies half weights with half gradients: most products lie below the least half, and tie at 0."""
import torch
from torch import nn


def saliency(weight):
    return (weight.detach() * weight.grad).abs()  # fault: underflow


def mask_of(weight, share=0.5):
    score = saliency(weight)
    kept = score.flatten().topk(int(share * score.numel())).indices
    return torch.zeros(score.numel(), dtype=torch.bool).index_fill_(0, kept, True).view_as(score)


torch.manual_seed(0)
layer = nn.Linear(64, 16).half()
nn.init.normal_(layer.weight, std=0.01)
x = torch.randn(16, 64).half()
target = layer(x).detach().float() + 0.002 * torch.randn(16, 16)
loss = (layer(x).float() - target).square().mean()
loss.backward()
mask = mask_of(layer.weight)


def harm():
    score = (layer.weight.detach().double() * layer.weight.grad.double()).abs().flatten()
    best = torch.zeros(1024, dtype=torch.bool).index_fill_(0, score.topk(512).indices, True)
    return (mask.flatten() != best).float().mean().item()

# right:
#-     return (weight.detach() * weight.grad).abs()
#+     return (weight.detach().float() * weight.grad.float()).abs()
