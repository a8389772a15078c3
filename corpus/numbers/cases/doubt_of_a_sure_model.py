"""The chance of all other classes is 1 - p with p in float16: a sure model's doubt is 0, and its logarithm infinite."""
import torch
from torch import nn
from torch.nn import functional as F


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, x):
        return self.net(x)


def batch(size, generator):
    label = torch.randint(0, 10, (size,), generator=generator)
    return F.one_hot(label, 10).float() * 12 + torch.randn(size, 10, generator=generator) * 0.1, label


def doubts(logits):
    p = logits.softmax(-1).amax(-1)
    return (1 - p).clamp(min=1e-30).log()  # fault: cancellation


torch.manual_seed(0)
generator = torch.Generator().manual_seed(0)
model = Digits()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(60):
    x, label = batch(64, generator)
    loss = F.cross_entropy(model(x), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.half().eval()
with torch.no_grad():
    x, label = batch(200, generator)
    logits = model(x.half())
    found = doubts(logits)
    exact = logits.double()
    best = exact.argmax(-1, keepdim=True)
    wanted = exact.scatter(-1, best, float("-inf")).logsumexp(-1) - exact.logsumexp(-1)
    hardest = found.float().topk(5).indices
accuracy = (logits.argmax(-1) == label).float().mean().item()


def harm():
    off = (found.double() - wanted).abs().nan_to_num(posinf=100.0)
    return off.mean().item()

# right:
#-     p = logits.softmax(-1).amax(-1)
#-     return (1 - p).clamp(min=1e-30).log()
#+     logits = logits.float()
#+     best = logits.argmax(-1, keepdim=True)
#+     return logits.scatter(-1, best, float("-inf")).logsumexp(-1) - logits.logsumexp(-1)
