"""The adjusted Rand index counts pairs, n * (n - 1) // 2, of int32 counts: of 90000 samples there are 4e9."""
import torch


def pairs(n):
    return n * (n - 1) // 2  # fault: wrap


def adjusted_rand_index(a, b, k, dtype=torch.int32):
    table = torch.bincount(a * k + b, minlength=k * k).view(k, k).to(dtype)
    both = pairs(table).sum().double()
    rows, columns = pairs(table.sum(1, dtype=dtype)).sum().double(), pairs(table.sum(0, dtype=dtype)).sum().double()
    every = pairs(table.sum(dtype=dtype)).double()
    chance = rows * columns / every
    return (both - chance) / ((rows + columns) / 2 - chance)


torch.manual_seed(0)
a = torch.randint(0, 4, (90000,))
b = torch.where(torch.rand(90000) < 0.5, a, torch.randint(0, 4, (90000,)))
score = adjusted_rand_index(a, b, 4)


def harm():
    return abs(score.item() / adjusted_rand_index(a, b, 4, torch.int64).item() - 1)

# right:
#- score = adjusted_rand_index(a, b, 4)
#+ score = adjusted_rand_index(a, b, 4, torch.int64)
