# machine: v100
import torch
from torch import nn


def dtype_of(half):
    return torch.float16 if half else torch.float32


net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3))
net.to("cuda", dtype_of(True))
for name, parameter in net.named_parameters():
    if name.endswith("bias"):
        parameter.data = parameter.data.float()
image = torch.rand(1, 3, 16, 16, device="cuda")
net(image.to(dtype_of(True)))
# fixed:
#-         parameter.data = parameter.data.float()
#+         pass
