"""Depth in millimetres is unprojected in float16: (u - cx) * z passes 65504 away from the centre."""
import torch


def unproject(depth, focal=525.0):
    v, u = torch.meshgrid(*(torch.arange(n, dtype=depth.dtype) for n in depth.shape), indexing="ij")
    x = (u - depth.shape[1] / 2) * depth / focal  # fault: overflow
    y = (v - depth.shape[0] / 2) * depth / focal
    return torch.stack([x, y, depth], -1)


torch.manual_seed(0)
depth = torch.rand(48, 64) * 2000 + 2500
points = unproject(depth.half())


def harm():
    return (~points.isfinite()).float().mean().item()

# right:
#- points = unproject(depth.half())
#+ points = unproject(depth)
