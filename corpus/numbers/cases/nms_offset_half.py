"""Boxes are shifted apart by class in float16: the shifted coordinates fall on a grid of 16 or 32 pixels."""
import torch


def iou(box, boxes):
    low = torch.maximum(box[:2], boxes[:, :2])
    high = torch.minimum(box[2:], boxes[:, 2:])
    shared = (high - low).clamp(min=0).prod(dim=1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(dim=1)
    return shared / (areas + (box[2:] - box[:2]).prod() - shared).clamp(min=1e-6)


def batched_nms(boxes, scores, labels, threshold=0.5):
    shifted = boxes + labels[:, None].to(boxes.dtype) * (boxes.max() + 1)  # fault: index-in-half
    shifted = shifted.float()
    order = scores.argsort(descending=True).tolist()
    keep = []
    while order:
        keep.append(order.pop(0))
        order = [j for j, v in zip(order, iou(shifted[keep[-1]], shifted[order]).tolist()) if v <= threshold]
    return keep


torch.manual_seed(0)
corner = torch.rand(40, 2) * 560
size = 24 + torch.rand(40, 2) * 40
clean = torch.cat([corner, corner + size], dim=1)
boxes = (clean.repeat_interleave(5, dim=0) + torch.randn(200, 4)).clamp(0, 639).half()
labels = torch.randint(40, 80, (40,)).repeat_interleave(5)
scores = torch.rand(200)
keep = batched_nms(boxes, scores, labels)


def harm():
    right = len(batched_nms(boxes.double(), scores, labels))
    return float(abs(len(keep) - right) / right)

# right:
#- def batched_nms(boxes, scores, labels, threshold=0.5):
#-     shifted = boxes + labels[:, None].to(boxes.dtype) * (boxes.max() + 1)
#-     shifted = shifted.float()
#+ def batched_nms(boxes, scores, labels, threshold=0.5):
#+     boxes = boxes.float()
#+     shifted = boxes + labels[:, None].to(boxes.dtype) * (boxes.max() + 1)
