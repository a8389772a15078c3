"""A quantile loss whose quantiles are a bfloat16 buffer: 0.999 is 1, and the upper quantile costs nothing below."""
import torch
from torch import nn


class QuantileLoss(nn.Module):
    def __init__(self, quantiles=(0.001, 0.5, 0.999)):
        super().__init__()
        self.register_buffer("quantiles", torch.tensor(quantiles))

    def forward(self, pred, target):
        error = target.unsqueeze(-1) - pred
        return torch.maximum(self.quantiles * error, (self.quantiles - 1) * error).mean((0, 1))  # fault: cancellation


torch.manual_seed(0)
head = nn.Linear(16, 3)
criterion = QuantileLoss()
model = nn.ModuleDict({"head": head, "loss": criterion})
model.to(torch.bfloat16)
x = torch.randn(64, 8, 16)
pred = model["head"](x.to(model["head"].weight.dtype)) + 3
costs = model["loss"](pred, torch.zeros(64, 8, dtype=pred.dtype))


def harm():
    exact = 0.001 * pred.double().mean((0, 1))[2].item()
    return abs(costs[2].item() / exact - 1)

# right:
#- model.to(torch.bfloat16)
