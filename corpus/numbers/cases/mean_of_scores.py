"""Validation scores are appended to a bfloat16 tensor and averaged by an incremental mean m += (x - m) / n."""
import torch


class Meter:
    def __init__(self, dtype):
        self.mean, self.n = torch.zeros((), dtype=dtype), 0

    def __call__(self, value):
        self.n += 1
        self.mean += (value - self.mean) / self.n  # fault: accumulate-in-half


torch.manual_seed(0)
meter = Meter(torch.bfloat16)
scores = torch.linspace(0.2, 0.9, 900)
for score in scores:
    meter(score)


def harm():
    return abs(meter.mean.item() / scores.double().mean().item() - 1)

# right:
#- meter = Meter(torch.bfloat16)
#+ meter = Meter(torch.float32)
