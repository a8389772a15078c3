"""The tokens of each expert are counted in a buffer of the model's bfloat16 over many micro-batches."""
import torch
from torch import nn


class Balancer(nn.Module):
    def __init__(self, experts, dtype):
        super().__init__()
        self.gate = nn.Linear(32, experts, bias=False, dtype=dtype)
        nn.init.eye_(self.gate.weight)
        self.register_buffer("tokens_per_expert", torch.zeros(experts, dtype=dtype))  # fault: accumulate-in-half

    def forward(self, x):
        chosen = self.gate(x).topk(2, dim=-1).indices
        self.tokens_per_expert += torch.bincount(chosen.flatten(), minlength=len(self.tokens_per_expert))
        return chosen

    def direction(self):
        counts = self.tokens_per_expert.double()
        return torch.sign(counts.mean() - counts)


torch.manual_seed(0)
balancer = Balancer(32, torch.bfloat16)
seen = []
for _ in range(64):
    seen.append(balancer(torch.randn(2048, 32).bfloat16()))
direction = balancer.direction()


def harm():
    right = torch.bincount(torch.cat(seen).flatten(), minlength=32).double()
    wrong = (direction != torch.sign(right.mean() - right)).sum().item()
    error = ((balancer.tokens_per_expert.double() - right).abs() / right).max().item()
    return float(error)

# right:
#-         self.register_buffer("tokens_per_expert", torch.zeros(experts, dtype=dtype))
#+         self.register_buffer("tokens_per_expert", torch.zeros(experts, dtype=torch.int64))
