"""SSIM takes the variance of a window as the mean of squares minus the square of the mean, in bfloat16."""
import torch
import torch.nn.functional as F


class Likeness(torch.nn.Module):
    def forward(self, a, b):
        ma, mb = F.avg_pool2d(a, 7, 1), F.avg_pool2d(b, 7, 1)
        va = F.avg_pool2d(a * a, 7, 1) - ma * ma  # fault: cancellation
        vb = F.avg_pool2d(b * b, 7, 1) - mb * mb
        both = F.avg_pool2d(a * b, 7, 1) - ma * mb
        top = (2 * ma * mb + 1e-4) * (2 * both + 9e-4)
        return (top / ((ma * ma + mb * mb + 1e-4) * (va + vb + 9e-4))).mean()


torch.manual_seed(0)
first = 0.8 + 0.01 * torch.randn(1, 1, 24, 24)
second = first + 0.01 * torch.randn(1, 1, 24, 24)
likeness = Likeness()
value = likeness(first.bfloat16(), second.bfloat16())


def harm():
    return abs(value.item() - likeness(first.double(), second.double()).item())

# right:
#- value = likeness(first.bfloat16(), second.bfloat16())
#+ value = likeness(first, second)
