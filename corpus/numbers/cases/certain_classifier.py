"""The margin 1 - max probability, to pick what to label next, in bfloat16: hundreds of samples have a margin of 0."""
import torch
from torch import nn


class Margin(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    @torch.no_grad()
    def forward(self, x):
        best = self.net(x).softmax(-1).amax(-1)
        return torch.log(1 - best)  # fault: cancellation


torch.manual_seed(0)
margin = Margin(nn.Linear(16, 4))
with torch.no_grad():
    margin.net.weight.mul_(10)
dtype = torch.bfloat16
score = margin.to(dtype)(torch.randn(200, 16).to(dtype))


def harm():
    return 1 - score.isfinite().float().mean().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float64
