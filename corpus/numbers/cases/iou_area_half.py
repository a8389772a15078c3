"""The areas of float16 boxes pass 65504: IoU is NaN or 0 and nothing is suppressed."""
import torch


def area(low, high):
    return (high - low).clamp(min=0).prod(dim=-1)  # fault: overflow


def pairwise_iou(boxes):
    low = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = area(low, high)
    areas = area(boxes[:, :2], boxes[:, 2:])
    return shared / (areas[:, None] + areas[None, :] - shared)


def nms(boxes, scores, threshold=0.5):
    order = scores.argsort(descending=True)
    overlap = pairwise_iou(boxes[order])
    keep = torch.ones(len(order), dtype=torch.bool)
    for i in range(len(order)):
        if keep[i]:
            keep[i + 1:] &= ~(overlap[i, i + 1:] > threshold)
    return order[keep]


torch.manual_seed(0)
base = torch.tensor([[10.0, 10.0, 610.0, 470.0], [640.0, 20.0, 1200.0, 500.0]])
boxes = (base.repeat(15, 1) + torch.randn(30, 4)).half()
scores = torch.rand(30)
kept = nms(boxes, scores)


def harm():
    return float(len(kept) - 2)

# right:
#-     return (high - low).clamp(min=0).prod(dim=-1)
#+     return (high - low).clamp(min=0).float().prod(dim=-1)
