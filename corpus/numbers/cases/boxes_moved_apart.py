"""Suppression by class moves the boxes of each class apart by class * (largest coordinate + 1), in float16."""
import torch


def iou(a, b):
    low, high = torch.max(a[:, None, :2], b[:, :2]), torch.min(a[:, None, 2:], b[:, 2:])
    common = (high - low).clamp_min(0).prod(-1)
    area = lambda x: (x[:, 2:] - x[:, :2]).prod(-1)
    return common / (area(a)[:, None] + area(b) - common)


def suppress(boxes, scores, classes, threshold=0.5):
    shift = classes.to(boxes) * (boxes.max() + 1)
    boxes = boxes + shift[:, None]  # fault: rounding-of-integers
    order, keep = scores.argsort(descending=True), []
    overlap = iou(boxes.float(), boxes.float())
    while len(order):
        keep.append(order[0].item())
        order = order[overlap[order[0], order] < threshold]
    return keep


torch.manual_seed(0)
corner = torch.randint(0, 220, (200, 2)).float()
boxes = torch.cat([corner, corner + torch.randint(8, 20, (200, 2))], 1).half()
scores, classes = torch.rand(200).half(), torch.randint(0, 80, (200,))
kept = set(suppress(boxes, scores, classes))


def harm():
    exact = set(suppress(boxes.double(), scores.double(), classes))
    return len(exact ^ kept) / len(exact)

# right:
#- kept = set(suppress(boxes, scores, classes))
#+ kept = set(suppress(boxes.float(), scores, classes))
