"""Recall at k is a mean of bools cast to bfloat16 that a loop over batches averages with running weights 1 / n."""
import torch


class Recall:
    def __init__(self, dtype):
        self.mean, self.count = torch.zeros((), dtype=dtype), 0

    def add(self, hits):
        self.count += 1
        now = hits.to(self.mean.dtype).mean()
        self.mean = self.mean + (now - self.mean) / self.count  # fault: statistics-in-half


torch.manual_seed(0)
recall = Recall(torch.bfloat16)
hits = torch.rand(2000, 10) < torch.linspace(0.1, 0.9, 2000)[:, None]
for batch in hits:
    recall.add(batch)


def harm():
    return abs(recall.mean.item() / hits.double().mean().item() - 1)

# right:
#- recall = Recall(torch.bfloat16)
#+ recall = Recall(torch.float32)
