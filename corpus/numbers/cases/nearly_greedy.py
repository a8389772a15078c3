"""Greedy decoding as a temperature of 1e-5, in float16: logits become infinite, probabilities NaN."""
import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, logits):
        logits = logits / max(self.temperature, 1e-5)  # fault: overflow
        return logits.softmax(-1)


torch.manual_seed(0)
head = nn.Linear(16, 100)
dtype = torch.float16
logits = head(torch.randn(4, 16)) * 3
p = Sampler(0.0)(logits.to(dtype))


def harm():
    return p.isnan().float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
