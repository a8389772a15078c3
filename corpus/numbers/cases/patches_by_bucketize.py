"""Fractional coordinates of patches are kept below 1 by a factor of 1 - 1e-6, which is 1 in the pictures' bfloat16."""
import torch


def positions(pixels, patches=32):
    line = torch.arange(patches + 1, dtype=torch.float32) / patches
    places = line.to(pixels.dtype) * (1 - 1e-6)  # fault: eps-vanishes
    edges = torch.arange(1 / patches, 1.0 + 1e-9, 1 / patches, dtype=torch.float32)
    return torch.bucketize(places.float(), edges, right=True)


torch.manual_seed(0)
pixels = torch.rand(1, 3, 32, 32)
found = positions(pixels.bfloat16())


def harm():
    return float(found.max() >= 32)

# right:
#-     places = line.to(pixels.dtype) * (1 - 1e-6)
#+     places = line * (1 - 1e-6)
