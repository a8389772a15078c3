"""A confusion matrix is a float32 buffer: behind 2^24 pixels of background further ones are rounded."""
import torch
from torch import nn


class Confusion(nn.Module):
    def __init__(self, classes, dtype):
        super().__init__()
        self.classes = classes
        self.register_buffer("counts", torch.zeros(classes, classes, dtype=dtype))

    def update(self, found, truth):
        pairs = (truth * self.classes + found).flatten()
        seen = torch.bincount(pairs, minlength=self.classes**2).reshape(self.classes, self.classes)
        self.counts += seen  # fault: accumulate-in-half


metric = Confusion(2, torch.float32)
metric.counts += torch.tensor([[2**24, 0], [0, 5]])
found, truth = torch.zeros(9, dtype=torch.long), torch.zeros(9, dtype=torch.long)
for _ in range(400):
    metric.update(found, truth)
    metric.update(found[:1], truth[:1])


def harm():
    return abs(metric.counts[0, 0].item() - (2**24 + 4000)) / 4000

# right:
#- metric = Confusion(2, torch.float32)
#+ metric = Confusion(2, torch.int64)
