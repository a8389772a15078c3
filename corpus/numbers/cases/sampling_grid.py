"""A sampling grid over 2048 columns in bfloat16: neighbouring columns look up the same place."""
import torch
import torch.nn.functional as F


def identity_grid(height, width, dtype):
    rows = torch.linspace(-1, 1, height)
    columns = torch.linspace(-1, 1, width)
    y, x = torch.meshgrid(rows, columns, indexing="ij")
    return torch.stack([x, y], -1).to(dtype)[None]  # fault: index-in-half


def warp(picture, grid):
    return F.grid_sample(picture.float(), grid.float(), mode="bilinear", align_corners=True)


torch.manual_seed(0)
picture = torch.rand(1, 1, 4, 2048)
same = warp(picture, identity_grid(4, 2048, torch.bfloat16))


def harm():
    return (same - picture).abs().mean().item()

# right:
#- same = warp(picture, identity_grid(4, 2048, torch.bfloat16))
#+ same = warp(picture, identity_grid(4, 2048, torch.float32))
