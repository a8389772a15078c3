"""Missing depth is masked by multiplying the log error with 0: the log of a depth of 0 is -inf, and -inf times 0 is NaN."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
image = torch.rand(2, 3, 16, 16)
net = nn.Conv2d(3, 1, 3, padding=1)
depth = torch.rand(2, 1, 16, 16) * 9 + 1
depth[:, :, :3] = 0  # the sensor sees no ground truth here
valid = (depth > 0).float()
predicted = F.softplus(net(image)) + 0.1
error = (predicted.log() - depth.log()).abs() * valid  # fault: nan-mask
loss = error.sum() / valid.sum()
loss.backward()


def harm():
    seen = depth > 0
    right = (predicted.detach().double()[seen].log() - depth.double()[seen].log()).abs().mean().item()
    return abs(loss.item() - right) / right

# right:
#- error = (predicted.log() - depth.log()).abs() * valid
#+ error = (predicted.log() - torch.where(depth > 0, depth, 1.0).log()).abs() * valid
