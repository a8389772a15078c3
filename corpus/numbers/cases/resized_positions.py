"""Position embeddings are resized in float32 and added to bfloat16 patches: the whole encoder input is float32."""
import torch
import torch.nn.functional as F
from torch import nn


class Patches(nn.Module):
    def __init__(self, dim=32, grid=8):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, 4, 4)
        self.pos = nn.Parameter(torch.randn(1, dim, grid, grid) * 0.02)

    def forward(self, image):
        x = self.proj(image)
        pos = F.interpolate(self.pos.float(), size=x.shape[-2:], mode="bicubic")
        x = x + pos  # fault: widening
        return x.flatten(2).transpose(1, 2)


torch.manual_seed(0)
patches = Patches().bfloat16()
tokens = patches(torch.randn(2, 3, 48, 48, dtype=torch.bfloat16))


def harm():
    return tokens.element_size() / 2 - 1

# right:
#-         x = x + pos
#+         x = x + pos.to(x.dtype)
