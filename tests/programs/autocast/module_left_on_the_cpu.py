# machine: v100
# Autocast passes by what is not on its device: the weight's float32 follows from where it is.
import torch
from torch import nn

net = nn.Conv2d(3, 4, 3)  # origin
# fixed: net = nn.Conv2d(3, 4, 3).cuda()
images = torch.rand(2, 3, 8, 8, device="cuda")
with torch.autocast("cuda", torch.float16):
    net(images)  # finding: operand-device-mismatch conv2d weight
