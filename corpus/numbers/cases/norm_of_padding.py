"""A layer norm of one's own with eps 1e-12, as BERT has it, adds it to a float16 variance: padding of zeros is NaN."""
import torch
from torch import nn


class BertNorm(nn.Module):
    variance_epsilon = 1e-12

    def __init__(self, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, states):
        centred = states - states.mean(-1, keepdim=True)
        variance = centred.pow(2).mean(-1, keepdim=True)
        scaled = centred / torch.sqrt(variance + self.variance_epsilon)  # fault: eps-vanishes
        return self.weight * scaled + self.bias


torch.manual_seed(0)
states = torch.randn(2, 8, 16)
states[1, 5:] = 0
norm = BertNorm(16).half()
with torch.no_grad():
    out = norm(states.to(norm.weight.dtype))


def harm():
    return out.isnan().float().mean().item()

# right:
#- norm = BertNorm(16).half()
#+ norm = BertNorm(16)
