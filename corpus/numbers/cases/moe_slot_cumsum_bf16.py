"""The slot of a token in its expert's buffer is a cumulative sum in bfloat16."""
import torch
from torch import nn
import torch.nn.functional as F


class Top1Dispatch(nn.Module):
    def __init__(self, dim, experts, capacity):
        super().__init__()
        self.gate = nn.Linear(dim, experts, bias=False)
        self.capacity = capacity

    def forward(self, tokens):
        expert = self.gate(tokens.float()).argmax(dim=-1)
        onehot = F.one_hot(expert, self.gate.out_features).to(tokens.dtype)
        rank = torch.cumsum(onehot, dim=0) * onehot  # fault: accumulate-in-half
        slot = rank.sum(dim=-1).long() - 1
        keep = slot < self.capacity
        buffer = tokens.new_zeros(self.gate.out_features, self.capacity, tokens.shape[-1])
        buffer[expert[keep], slot[keep]] = tokens[keep]
        return buffer, expert, slot


torch.manual_seed(0)
dispatch = Top1Dispatch(dim=16, experts=4, capacity=1024).eval()  # the router stays in float32
tokens = torch.randn(2400, 16).to(torch.bfloat16)
with torch.no_grad():
    buffer, expert, slot = dispatch(tokens)


def harm():
    places = torch.stack([expert, slot]).unique(dim=1).shape[1]
    return float(len(tokens) - places)

# right:
#-         onehot = F.one_hot(expert, self.gate.out_features).to(tokens.dtype)
#+         onehot = F.one_hot(expert, self.gate.out_features)
