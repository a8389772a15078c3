# machine: v100
# The output of the region is half; the head outside it is float32.
import torch
from torch import nn

backbone, head = nn.Linear(8, 8).cuda(), nn.Linear(8, 2).cuda()
x = torch.randn(2, 8, device="cuda")
with torch.autocast("cuda"):
    features = backbone(x)  # origin
out = head(features)  # finding: operand-dtype-mismatch linear input
# fixed: out = head(features.float())
out.sum().backward()
