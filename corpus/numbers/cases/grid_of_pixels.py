"""A grid of pixel coordinates by linspace in bfloat16."""
import torch

width = 640
xs = torch.linspace(0, width - 1, width, dtype=torch.bfloat16)  # fault: index-in-half
ys = torch.linspace(0, 9, 10, dtype=torch.bfloat16)
grid = torch.stack(torch.meshgrid(ys, xs, indexing="ij"), -1)


def harm():
    return 1 - len(set(grid[0, :, 1].tolist())) / width

# right:
#- xs = torch.linspace(0, width - 1, width, dtype=torch.bfloat16)
#- ys = torch.linspace(0, 9, 10, dtype=torch.bfloat16)
#+ xs = torch.linspace(0, width - 1, width)
#+ ys = torch.linspace(0, 9, 10)
