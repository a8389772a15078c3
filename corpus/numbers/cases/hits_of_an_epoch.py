"""Hits are counted in the dtype of the logits: from 256 on a bfloat16 count does not grow by single hits."""
import torch
from torch import nn
from torch.nn import functional as F


class Accuracy(nn.Module):
    def __init__(self, classes, dtype):
        super().__init__()
        self.register_buffer("hits", torch.zeros(classes, dtype=dtype))
        self.register_buffer("seen", torch.zeros(classes, dtype=torch.int64))

    def update(self, logits, label):
        hit = (logits.argmax(-1) == label).to(self.hits.dtype)
        for one, correct in zip(label.tolist(), hit, strict=True):
            self.hits[one] += correct  # fault: accumulate-in-half
            self.seen[one] += 1

    def compute(self):
        return self.hits.double() / self.seen


def batches(count):
    generator = torch.Generator().manual_seed(9)
    for _ in range(count):
        label = torch.randint(0, 2, (64,), generator=generator)
        x = torch.randn(64, 6, generator=generator)
        x[:, 0] += 6 * label - 3
        yield x, label


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for x, label in batches(15):
    loss = F.cross_entropy(model(x), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model = model.bfloat16().eval()
accuracy = Accuracy(2, next(model.parameters()).dtype)
exact = torch.zeros(2, dtype=torch.int64)
with torch.no_grad():
    for x, label in batches(12):
        logits = model(x.bfloat16())
        accuracy.update(logits, label)
        exact += torch.bincount(label[logits.argmax(-1) == label], minlength=2)


def harm():
    return (accuracy.hits.double() - exact).abs().max().item() / exact.max().item()

# right:
#- accuracy = Accuracy(2, next(model.parameters()).dtype)
#+ accuracy = Accuracy(2, torch.float32)
