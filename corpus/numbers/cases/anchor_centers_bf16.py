"""The centres of the anchors are made in bfloat16, the dtype of the feature map: above 256 pixels they are rounded."""
import torch
from torch import nn


def make_points(feature, stride):
    h, w = feature.shape[-2:]
    x, y = torch.meshgrid(torch.arange(w), torch.arange(h), indexing="xy")
    grid = torch.stack([x, y], dim=-1).reshape(-1, 2).to(feature.device)
    return (grid.to(feature.dtype) + 0.5) * stride  # fault: index-in-half


def decode(points, ltrb):
    return torch.cat([points - ltrb[..., :2], points + ltrb[..., 2:]], dim=-1)


torch.manual_seed(0)
head = nn.Conv2d(16, 4, 1).to(torch.bfloat16).eval()
feature = torch.randn(1, 16, 100, 168).to(torch.bfloat16)
with torch.no_grad():
    distances = head(feature).exp().flatten(2).transpose(1, 2)
points = make_points(feature, stride=8)
boxes = decode(points, distances.to(points.dtype))


def harm():
    right = torch.stack(torch.meshgrid(torch.arange(168), torch.arange(100), indexing="xy"), -1)
    right = (right.reshape(-1, 2).double() + 0.5) * 8
    error = (points.double() - right).abs().max().item()
    return float(error)

# right:
#-     return (grid.to(feature.dtype) + 0.5) * stride
#+     return (grid.float() + 0.5) * stride
