"""A mixture's weights are masked with -inf for experts without room: when all are full, the row is NaN."""
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width, experts, blank):
        super().__init__()
        self.score = nn.Linear(width, experts)
        self.blank = blank

    def forward(self, tokens, room):
        scores = torch.where(room, self.score(tokens), torch.tensor(self.blank))
        return torch.softmax(scores, dim=-1)  # fault: nan-mask


torch.manual_seed(0)
room = torch.rand(12, 4) > 0.3
room[7] = False
gate = Gate(8, 4, float("-inf"))
with torch.no_grad():
    weights = gate(torch.randn(12, 8), room)


def harm():
    return weights.isnan().float().mean().item()

# right:
#- gate = Gate(8, 4, float("-inf"))
#+ gate = Gate(8, 4, -1e9)
