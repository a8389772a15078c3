# machine: v100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"


def iou(a, b):
    top_left, bottom_right = torch.max(a[:, None, :2], b[None, :, :2]), torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (bottom_right - top_left).clamp(min=0).prod(2)
    area = lambda x: (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
    return inter / (area(a)[:, None] + area(b)[None] - inter)


def nms(boxes, scores, threshold):
    order, keep = scores.sort(descending=True)[1], []
    while order.numel() > 0:
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        order = order[1:][iou(boxes[i][None], boxes[order[1:]])[0] <= threshold]
    return torch.stack(keep)


grid = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij"), -1).reshape(-1, 2).to(dev)
boxes = torch.cat([grid, grid + 2], 1).float()
scores = torch.linspace(1, 0, 16, device=dev)
keep = nms(boxes, scores, 0.3)
assert keep.numel() > 1
logits = nn.Linear(4, 2).to(dev)(boxes)
matched = iou(boxes, boxes[:2]).max(1)
target = (matched.values > 0.5).long()
p = torch.sigmoid(logits[:, 1])
focal = -(0.25 * (1 - p) ** 2 * torch.log(p) * (target == 1) + 0.75 * p**2 * torch.log(1 - p) * (target == 0))
sampled = F.grid_sample(torch.rand(1, 3, 8, 8, device=dev), torch.rand(1, 2, 2, 2, device=dev) * 2 - 1, align_corners=False)
focal.sum().backward()
