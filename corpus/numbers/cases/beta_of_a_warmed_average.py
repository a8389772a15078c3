"""Bias correction by powers: beta ** step is kept as a running float16 product, and 1 - it is divided by."""
import torch


class Debiased:
    def __init__(self, width, dtype, beta=0.9998):
        self.beta, self.power = beta, torch.ones((), dtype=dtype)
        self.kept = torch.zeros(width)

    def __call__(self, x):
        self.kept.mul_(self.beta).add_(x, alpha=1 - self.beta)
        self.power *= self.beta  # fault: accumulate-in-half
        return self.kept / (1 - self.power.float() + 1e-6)


torch.manual_seed(0)
average = Debiased(4, torch.float16)
for _ in range(40):
    out = average(torch.full((4,), 3.0))


def harm():
    return min(1.0, abs(out.mean().item() / 3 - 1))

# right:
#- average = Debiased(4, torch.float16)
#+ average = Debiased(4, torch.float64)
