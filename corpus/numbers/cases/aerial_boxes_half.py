"""Pixel corners of boxes in a large aerial image are cast to float16, which holds only even numbers above 2048: small boxes change their size."""
import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(64, 16).half()
regressor = nn.Linear(16, 2).half()
corner = torch.randint(2100, 4000, (64, 2))
size = torch.randint(5, 30, (64, 2))
corners = torch.cat([corner, corner + size], dim=1)
boxes = corners.to(features.dtype)  # fault: rounding-of-integers
sides = (boxes[:, 2:] - boxes[:, :2]).float()
area = sides.prod(-1)
with torch.no_grad():
    predicted = regressor(features).float()
loss = (predicted - sides.log()).abs().mean()


def harm():
    right = size.double().prod(-1)
    return ((area.double() - right).norm() / right.norm()).item()

# right:
#- boxes = corners.to(features.dtype)
#+ boxes = corners.float()
