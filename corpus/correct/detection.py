# machine: v100
"""A one-stage detector: anchors, matching by IoU, focal loss; evaluated in half precision."""

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")


class Detector(nn.Module):
    def __init__(self, classes=3, anchors=2):
        super().__init__()
        self.classes, self.count = classes, anchors
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU())
        self.cls = nn.Conv2d(16, anchors * classes, 3, padding=1)
        self.box = nn.Conv2d(16, anchors * 4, 3, padding=1)
        self.register_buffer("sizes", torch.tensor([6.0, 12.0]))

    def anchors(self, height, width, stride=4):
        ys = torch.arange(height, device=self.sizes.device, dtype=self.sizes.dtype) * stride
        xs = torch.arange(width, device=self.sizes.device, dtype=self.sizes.dtype) * stride
        y, x = torch.meshgrid(ys, xs, indexing="ij")
        centers = torch.stack([x, y, x, y], dim=-1).unsqueeze(2)
        half = self.sizes / 2
        offsets = torch.stack([-half, -half, half, half], dim=-1)
        return (centers + offsets).view(-1, 4)

    def forward(self, images):
        features = self.backbone(images)
        b, _, h, w = features.shape
        scores = self.cls(features).permute(0, 2, 3, 1).reshape(b, -1, self.classes)
        deltas = self.box(features).permute(0, 2, 3, 1).reshape(b, -1, 4)
        return scores, deltas, self.anchors(h, w)


def iou(a, b):
    low = torch.maximum(a[:, None, :2], b[None, :, :2])
    high = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    overlap = (high - low).clamp(min=0).prod(dim=-1)
    area = lambda boxes: (boxes[:, 2:] - boxes[:, :2]).prod(dim=-1)
    return overlap / (area(a)[:, None] + area(b)[None] - overlap)


def focal(scores, target, gamma=2.0):
    p = torch.sigmoid(scores)
    ce = F.binary_cross_entropy_with_logits(scores, target, reduction="none")
    pt = p * target + (1 - p) * (1 - target)
    return (ce * (1 - pt) ** gamma).mean()


def loss_of(model, images, boxes, labels):
    scores, deltas, anchors = model(images)
    total = scores.new_zeros(())
    for score, delta, box, label in zip(scores, deltas, boxes, labels):
        best, which = iou(anchors, box).max(dim=1)
        positive = best > 0.2
        target = torch.zeros_like(score)
        target[positive, label[which[positive]]] = 1.0
        total = total + focal(score, target)
        wanted = (box[which] - anchors) / 10
        each = F.smooth_l1_loss(delta, wanted, reduction="none").sum(-1)
        total = total + (each * positive.float()).sum() / positive.sum().clamp(min=1)
    return total / len(boxes)


@torch.no_grad()
def detect(model, images, keep=5):
    scores, deltas, anchors = model(images)
    best, label = scores.sigmoid().max(dim=-1)
    top, index = best.topk(keep, dim=1)
    boxes = anchors + deltas * 10
    chosen = torch.gather(boxes, 1, index.unsqueeze(-1).expand(-1, -1, 4))
    return top, chosen, label.gather(1, index)


def main():
    torch.manual_seed(2)
    model = Detector().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.rand(2, 3, 32, 32, device=device)
    boxes = [torch.tensor([[2.0, 2, 12, 12]], device=device), torch.tensor([[8.0, 8, 20, 20], [0, 0, 6, 6]], device=device)]
    labels = [torch.tensor([1], device=device), torch.tensor([0, 2], device=device)]
    for step in range(3):
        loss = loss_of(model, images, boxes, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")
    model.half().eval()
    top, chosen, _ = detect(model, images.half())
    print(f"best {top[0, 0].item():.3f} at {chosen[0, 0].float().mean().item():.2f}")


if __name__ == "__main__":
    main()
