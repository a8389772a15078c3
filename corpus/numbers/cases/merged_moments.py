"""Moments of chunks are merged by Chan's formula; the count so far is a bfloat16 tensor like the means."""
import torch


class Moments:
    def __init__(self, width, dtype):
        self.count = torch.zeros((), dtype=dtype)
        self.mean = torch.zeros(width, dtype=dtype)

    def merge(self, chunk):
        n = chunk.shape[0]
        total = self.count + n  # fault: statistics-in-half
        self.mean = (self.mean.float() + (chunk.mean(0) - self.mean.float()) * (n / total.float())).to(self.mean.dtype)
        self.count = total


torch.manual_seed(0)
moments = Moments(4, torch.bfloat16)
for i in range(1200):
    moments.merge(torch.randn(3, 4) + i / 400)


def harm():
    return abs(moments.count.item() / 3600 - 1)

# right:
#- moments = Moments(4, torch.bfloat16)
#+ moments = Moments(4, torch.float32)
