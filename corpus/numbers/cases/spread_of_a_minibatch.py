"""StyleGAN's discriminator adds the spread over a group of pictures as a channel: squares of float16 features of 300."""
import torch
from torch import nn


class MinibatchStd(nn.Module):
    def __init__(self, group=4):
        super().__init__()
        self.group = group

    def forward(self, x):
        n, c, h, w = x.shape
        y = x.view(self.group, -1, c, h, w)
        y = y - y.mean(0)
        y = y.square().mean(0).add(1e-4).sqrt()  # fault: overflow
        y = y.mean((1, 2, 3)).to(x.dtype)
        return torch.cat([x, y.view(1, -1, 1, 1, 1).expand(self.group, -1, 1, h, w).reshape(n, 1, h, w)], 1)


torch.manual_seed(0)
early = nn.Conv2d(3, 16, 3, padding=1)
early.weight.data.mul_(700)
with torch.no_grad(), torch.autocast("cpu", torch.float16):
    features = early(torch.randn(8, 3, 16, 16))
    out = MinibatchStd()(features)


def harm():
    return 1 - out[:, -1].isfinite().float().mean().item()

# right:
#-         y = x.view(self.group, -1, c, h, w)
#+         y = x.float().view(self.group, -1, c, h, w)
