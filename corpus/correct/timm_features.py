# machine: t4
"""Feature maps of a timm ResNet in half precision, and a segmentation head on top of them."""

import timm
import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"


class Head(nn.Module):
    def __init__(self, channels, classes=3, width=8):
        super().__init__()
        self.reduce = nn.ModuleList(nn.Conv2d(c, width, 1) for c in channels)
        self.out = nn.Conv2d(width, classes, 3, padding=1)

    def forward(self, maps, size):
        total = 0
        for conv, features in zip(self.reduce, maps):
            total = total + F.interpolate(conv(features), size=size, mode="bilinear", align_corners=False)
        return self.out(total)


def normalize(images):
    mean = torch.tensor([0.485, 0.456, 0.406], device=images.device, dtype=images.dtype).view(1, 3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225], device=images.device, dtype=images.dtype).view(1, 3, 1, 1)
    return (images - mean) / std


def main():
    torch.manual_seed(0)
    backbone = timm.create_model("resnet10t", features_only=True, out_indices=(1, 2)).to(device).half().eval()
    head = Head(backbone.feature_info.channels()).to(device)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for step in range(2):
        images = torch.rand(2, 3, 32, 32)
        labels = (images.mean(dim=1) * 2.99).long().to(device)
        with torch.no_grad():
            maps = backbone(normalize(images.to(device).half()))
        logits = head([m.float() for m in maps], images.shape[-2:])
        loss = F.cross_entropy(logits, labels, ignore_index=255)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
