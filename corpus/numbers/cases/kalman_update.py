"""A Kalman filter with an exact sensor: (1 - K) * P in float32 is 0 or rounding, and the filter is certain for good."""
import torch


class Kalman:
    def __init__(self, dtype):
        self.x = torch.zeros(4, dtype=dtype)
        self.p = torch.tensor([1e2, 3e2, 5e1, 8e2], dtype=dtype)
        self.q, self.r = 1e-9, 1e-6

    def update(self, z):
        p = self.p + self.q
        gain = p / (p + self.r)
        self.x = self.x + gain * (z - self.x)
        self.p = (1 - gain) * p  # fault: cancellation


torch.manual_seed(0)
truth = torch.randn(4, dtype=torch.float64)
filters = [Kalman(torch.float32), Kalman(torch.float64)]
for one in filters:
    one.update(truth.to(one.x.dtype))


def harm():
    return ((filters[0].p.double() - filters[1].p).abs() / filters[1].p).max().item()

# right:
#- filters = [Kalman(torch.float32), Kalman(torch.float64)]
#+ filters = [Kalman(torch.float64), Kalman(torch.float64)]
