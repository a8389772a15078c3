"""Marked pixels of each picture are counted with dtype=uint8: 300 is told as 44."""
import torch

torch.manual_seed(0)
masks = torch.rand(5, 40, 40) > 0.7
found = torch.sum(masks, dim=(1, 2), dtype=torch.uint8)  # fault: wrap
share = found / 1600


def harm():
    return (share - masks.float().mean((1, 2))).abs().max().item()

# right:
#- found = torch.sum(masks, dim=(1, 2), dtype=torch.uint8)
#+ found = torch.sum(masks, dim=(1, 2), dtype=torch.int32)
