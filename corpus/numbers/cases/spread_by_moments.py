"""A streaming normaliser keeps sums of x and x^2 of pressures near 101,325 in float32: the variance is rounding."""
import torch


class Stream:
    def __init__(self, dtype):
        self.n, self.s, self.q = 0, torch.zeros((), dtype=dtype), torch.zeros((), dtype=dtype)

    def update(self, x):
        self.n += x.numel()
        self.s += x.sum()
        self.q += (x * x).sum()

    def variance(self):
        mean = self.s / self.n
        return self.q / self.n - mean * mean  # fault: cancellation


torch.manual_seed(0)
stream = Stream(torch.float32)
data = 101_325 + torch.randn(50, 200, dtype=torch.float64) * 10
for batch in data:
    stream.update(batch.to(stream.s.dtype))
variance = stream.variance()


def harm():
    return abs(variance.item() / data.var().item() - 1)

# right:
#- stream = Stream(torch.float32)
#+ stream = Stream(torch.float64)
