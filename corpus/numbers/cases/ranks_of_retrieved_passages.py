"""Passages are ranked by scores that bfloat16 made equal: the order among them, and the metric, is that of the index."""
import torch
from torch import nn
from torch.nn import functional as F


class Encoder(nn.Module):
    def __init__(self, width=32, out=16):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.out = nn.Linear(width, out)

    def forward(self, x):
        return F.normalize(self.out(torch.tanh(self.inner(x))), dim=-1)


def world():
    generator = torch.Generator().manual_seed(5)
    passages = torch.randn(600, 32, generator=generator) * 0.1 + 1
    questions = passages[:64] + 0.01 * torch.randn(64, 32, generator=generator)
    return questions, passages


torch.manual_seed(0)
questions, passages = world()
query, passage = Encoder(), Encoder()
passage.load_state_dict(query.state_dict())
optimizer = torch.optim.Adam([*query.parameters(), *passage.parameters()], lr=1e-4)
for step in range(10):
    scores = query(questions) @ passage(passages[:64]).T
    loss = F.cross_entropy(scores / 0.05, torch.arange(64))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

with torch.no_grad():
    index = passage(passages)
    ranks = []
    for first in range(0, 64, 16):
        asked = query(questions[first : first + 16])
        scores = (asked @ index.T).to(torch.bfloat16)
        order = scores.argsort(dim=-1, descending=True)  # fault: rounding-of-integers
        gold = torch.arange(first, first + 16)[:, None]
        ranks.append((order == gold).nonzero()[:, 1])
    exact = query(questions).double() @ index.double().T
    wanted = (exact > exact.gather(1, torch.arange(64)[:, None])).sum(1)
reciprocal = (1 / (torch.cat(ranks) + 1.0)).mean().item()


def harm():
    return (torch.cat(ranks) - wanted).abs().float().mean().item()

# right:
#-         scores = (asked @ index.T).to(torch.bfloat16)
#+         scores = asked @ index.T
