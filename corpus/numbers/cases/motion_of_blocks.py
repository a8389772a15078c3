"""Block matching compares frames of int16 by squares of differences: 200 squared is below zero, and a bad match the best."""
import torch
import torch.nn.functional as F


def match(old, new, block=8, reach=3):
    h, w = new.shape
    best = torch.full((h // block, w // block), 2**30)
    motion = torch.zeros(h // block, w // block, 2, dtype=torch.int8)
    padded = F.pad(old[None], [reach] * 4, mode="replicate")[0]
    for dy in range(2 * reach + 1):
        for dx in range(2 * reach + 1):
            away = (new - padded[dy : dy + h, dx : dx + w]).square()  # fault: wrap
            cost = away.unflatten(1, (-1, block)).unflatten(0, (-1, block)).sum((1, 3))
            better = cost < best
            best = torch.where(better, cost, best)
            motion[better] = torch.tensor([dy - reach, dx - reach], dtype=torch.int8)
    return motion


torch.manual_seed(0)
old = (torch.rand(64, 64) > 0.5).to(torch.int16) * 235 + 10
new = old.roll((-2, 1), (0, 1))
motion = match(old, new)


def harm():
    inner = motion[1:-1, 1:-1]
    return (inner != torch.tensor([2, -1])).any(-1).float().mean().item()

# right:
#- motion = match(old, new)
#+ motion = match(old.int(), new.int())
