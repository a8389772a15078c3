# machine: v100
# CPU offload by hand: the module comes to the GPU for its forward and goes back.
import torch
from torch import nn


class Offloaded(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        self.module.to(x.device)
        out = self.module(x)
        self.module.to("cpu")
        return out


text, unet = Offloaded(nn.Linear(4, 4)), nn.Linear(4, 4).cuda()
with torch.no_grad():
    out = unet(text(torch.ones(1, 4, device="cuda")))
assert next(text.parameters()).device.type == "cpu" and out.is_cuda
