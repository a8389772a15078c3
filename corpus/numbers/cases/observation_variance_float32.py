"""The variance of observations far from zero is the mean of squares minus the square of the mean in float32: two numbers of 25 million whose difference is 1."""
import torch
from torch import nn

torch.manual_seed(0)
offset = torch.tensor([0.0, 5000.0, -8000.0, 300.0])
observations = torch.randn(4096, 4) + offset  # positions in millimetres
mean = observations.mean(0)
variance = observations.square().mean(0) - mean.square()  # fault: cancellation
deviation = variance.clamp(min=1e-6).sqrt()
normalised = (observations - mean) / deviation
policy = nn.Linear(4, 2)
with torch.no_grad():
    actions = policy(normalised.clamp(-5, 5)).tanh()


def harm():
    right = observations.double().std(0, correction=0)
    return ((deviation.double() - right).norm() / right.norm()).item()

# right:
#- variance = observations.square().mean(0) - mean.square()
#+ variance = observations.var(0, correction=0)
