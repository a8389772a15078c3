"""The number of a voxel in a large grid, computed in int32."""
import torch

cells = torch.tensor([[10, 20, 30], [1400, 1500, 1600]], dtype=torch.int32)
number = (cells[:, 0] * 2048 + cells[:, 1]) * 2048 + cells[:, 2]  # fault: wrap
sorted_cells = number.sort().values


def harm():
    wide = cells.long()
    return float((number != (wide[:, 0] * 2048 + wide[:, 1]) * 2048 + wide[:, 2]).sum())

# right:
#- cells = torch.tensor([[10, 20, 30], [1400, 1500, 1600]], dtype=torch.int32)
#+ cells = torch.tensor([[10, 20, 30], [1400, 1500, 1600]])
