"""A resized table that is cast to what it is added to, and one that is added under autocast."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
proj, table = nn.Conv2d(3, 16, 4, 4).bfloat16(), nn.Parameter(torch.randn(1, 16, 8, 8).bfloat16())
patches = proj(torch.randn(2, 3, 48, 48).bfloat16())
places = F.interpolate(table.float(), size=(12, 12), mode="bicubic")
tokens = patches + places.to(patches.dtype)
with torch.autocast("cpu", torch.bfloat16):
    mixed = proj(torch.randn(2, 3, 48, 48)) + F.interpolate(table.float(), size=(12, 12), mode="bilinear")
