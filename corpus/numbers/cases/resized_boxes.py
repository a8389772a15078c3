"""Boxes in pixels are scaled in place of an int64 tensor, boxes[:] = boxes * ratio; grid cells of 4 lose their halves."""
import torch

torch.manual_seed(0)
cells = torch.randint(0, 8, (40, 4))
start = cells.clone()
for ratio in (0.75, 0.5, 2.0):
    cells[:] = cells * ratio  # fault: rounding-of-integers
area = cells.float().mean()


def harm():
    return abs(area.item() / (start.double().mean().item() * 0.75) - 1)

# right:
#- cells = torch.randint(0, 8, (40, 4))
#+ cells = torch.randint(0, 8, (40, 4)).float()
