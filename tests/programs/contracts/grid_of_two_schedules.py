# machine: v100
"""Both axes are float32: a dtype for one of them changes nothing. The op has another name in torch's schemas."""

import torch
import torch.nn.functional as F


def grid(n):
    ys = torch.linspace(-1, 1, n, device="cuda")
    xs = torch.linspace(-1, 1, n, device="cuda")  # origin
    return torch.stack(torch.meshgrid(xs, ys, indexing="xy"), -1)[None]


image = torch.rand(1, 3, 8, 8, device="cuda").half()
points = grid(4)
F.grid_sample(image, points, align_corners=False)  # finding: operand-dtype-mismatch grid_sampler grid
