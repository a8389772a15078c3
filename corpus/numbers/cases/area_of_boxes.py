"""Areas of boxes for IoU in float16: a box of 300 by 300 pixels is infinite, its IoU is NaN."""
import torch


def iou(a, b):
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])  # fault: overflow
    low, high = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    inner = (high - low).clamp(min=0).prod(-1)
    return inner / (area_a + area_b - inner)


torch.manual_seed(0)
corner = torch.rand(32, 2) * 100
a = torch.cat([corner, corner + 120], 1)
b = torch.cat([corner + 10, corner + 310 + torch.rand(32, 2) * 50], 1)
overlap = iou(a.half(), b.half())


def harm():
    exact = iou(a.double(), b.double())
    off = (overlap.double() - exact).abs()
    return 1.0 if not off.isfinite().all() else off.max().item()

# right:
#- overlap = iou(a.half(), b.half())
#+ overlap = iou(a.float(), b.float())
