"""A counter of samples as a float32 buffer: behind 2^24 single samples are not counted."""
import torch
from torch import nn


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.tensor(33_000_000.0))

    def forward(self, batch):
        self.seen += (batch > 0).any(-1).sum().to(self.seen.dtype)  # fault: rounding-of-integers
        return batch


counter = Counter()
for _ in range(100):
    counter(torch.ones(1, 4))


def harm():
    return abs(counter.seen.item() - 33_000_100)

# right:
#-         self.register_buffer("seen", torch.tensor(33_000_000.0))
#+         self.register_buffer("seen", torch.tensor(33_000_000))
