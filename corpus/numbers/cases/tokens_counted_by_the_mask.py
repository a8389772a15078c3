"""The mean loss divides by the sum of a bfloat16 mask over all sentences: of the later ones it counts too few."""
import torch
from torch import nn
from torch.nn import functional as F


class Reader(nn.Module):
    def __init__(self, words=50, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.Linear(width, width)
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        return self.head(torch.tanh(self.rnn(self.embed(ids))))


def documents(count):
    generator = torch.Generator().manual_seed(4)
    for _ in range(count):
        ids = torch.randint(0, 50, (32, 40), generator=generator)
        lengths = torch.randint(5, 40, (32,), generator=generator)
        mask = torch.arange(40) < lengths[:, None]
        yield ids, mask, int(lengths.sum())


class Tally:
    def __init__(self):
        self.tokens = torch.zeros((), dtype=torch.bfloat16)
        self.loss = 0.0

    def add(self, loss, mask):
        for count in mask.sum(1).to(self.tokens.dtype):
            self.tokens += count  # fault: accumulate-in-half
        self.loss += loss.item()

    def mean(self):
        return self.loss / self.tokens.item()


torch.manual_seed(0)
model = Reader()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
tally, exact = Tally(), 0
for ids, mask, count in documents(24):
    losses = F.cross_entropy(model(ids).flatten(0, 1), ids.roll(-1, 1).flatten(), reduction="none")
    total = (losses * mask.flatten()).sum()
    optimizer.zero_grad()
    (total / count).backward()
    optimizer.step()
    tally.add(total, mask)
    exact += count
perplexity = tally.mean()


def harm():
    return abs(tally.tokens.item() - exact) / exact

# right:
#-         self.tokens = torch.zeros((), dtype=torch.bfloat16)
#+         self.tokens = torch.zeros((), dtype=torch.int64)
