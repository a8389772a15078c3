"""A weighted depth error and its weights are summed in float16 over a whole image: infinity by infinity."""
import torch
from torch import nn


class ConfidenceL1(nn.Module):
    """L1 error of a depth map, weighted by the sensor's confidence."""

    def forward(self, depth, target, confidence):
        error = (depth - target).abs() * confidence
        return error.sum() / confidence.sum()  # fault: overflow


torch.manual_seed(0)
target = (1 + 4 * torch.rand(2, 1, 256, 320)).half()
depth = (target.float() + torch.randn(2, 1, 256, 320)).half()
confidence = torch.rand(2, 1, 256, 320).half()
loss = ConfidenceL1()(depth, target, confidence)


def harm():
    error = (depth.double() - target.double()).abs() * confidence.double()
    right = (error.sum() / confidence.double().sum()).item()
    return float(abs(loss.item() - right) / right)

# right:
#-         return error.sum() / confidence.sum()
#+         return error.sum(dtype=torch.float32) / confidence.sum(dtype=torch.float32)
