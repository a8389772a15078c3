"""The pixel coordinates of a warp are a linspace in the image's bfloat16: columns above 256 collapse."""
import torch
import torch.nn.functional as F


def ramp(size, like):
    return torch.linspace(0, size - 1, size, dtype=like.dtype, device=like.device)  # fault: index-in-half


def warp(image, flow):
    height, width = image.shape[-2:]
    ys, xs = torch.meshgrid(ramp(height, image), ramp(width, image), indexing="ij")
    x = (xs.float() + flow[:, 0]) / (width - 1) * 2 - 1
    y = (ys.float() + flow[:, 1]) / (height - 1) * 2 - 1
    grid = torch.stack([x, y], dim=-1)
    return F.grid_sample(image.float(), grid, align_corners=True, padding_mode="border").to(image.dtype)


torch.manual_seed(0)
image = torch.rand(1, 3, 360, 640).bfloat16()
flow = torch.zeros(1, 2, 360, 640)
warped = warp(image, flow)


def harm():
    moved = (ramp(640, image).double() - torch.arange(640)).abs()
    change = (warped.float() - image.float()).abs().mean().item()
    return float(change)

# right:
#-     return torch.linspace(0, size - 1, size, dtype=like.dtype, device=like.device)
#+     return torch.arange(size, dtype=torch.float32, device=like.device)
