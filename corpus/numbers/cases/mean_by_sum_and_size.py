"""A mean absolute error is the sum of differences over their number, and the sum overflows float16."""
import torch

torch.manual_seed(0)


def mean_absolute_error(a, b):
    difference = (a - b).abs()
    return difference.sum() / difference.numel()  # fault: overflow


a, b = torch.randn(64, 1, 32, 32) + 2, torch.randn(64, 1, 32, 32) - 2
loss = mean_absolute_error(a.half(), b.half())


def harm():
    return float(loss.isinf())

# right:
#-     return difference.sum() / difference.numel()
#+     return difference.mean()
