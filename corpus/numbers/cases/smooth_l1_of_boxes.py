"""A smooth L1 loss of coordinates near 800 in bfloat16: the errors of a pixel are lost in coordinates of 4."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
target = torch.rand(64, 4) * 200 + 700
found = target + torch.randn(64, 4) * 1.5
dtype = torch.bfloat16
loss = F.smooth_l1_loss(found.to(dtype), target.to(dtype))  # fault: cancellation


def harm():
    return abs(loss.item() / F.smooth_l1_loss(found.double(), target.double()).item() - 1)

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
