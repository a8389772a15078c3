"""Votes for cells are added where they fall, into a float16 grid: no cell has more than 2048."""
import torch


def vote(grid, rows, columns):
    ones = torch.ones(len(rows), dtype=grid.dtype)
    grid.index_put_((rows, columns), ones, accumulate=True)  # fault: accumulate-in-half
    return grid


torch.manual_seed(0)
grid = torch.zeros(4, 4, dtype=torch.float16)
for _ in range(20):
    where = torch.randint(0, 4, (2, 3200))
    vote(grid, where[0], where[1])


def harm():
    return abs(grid.double().sum().item() / 64000 - 1)

# right:
#- grid = torch.zeros(4, 4, dtype=torch.float16)
#+ grid = torch.zeros(4, 4)
