"""The pixels of a mask are counted into a uint8."""
import torch

torch.manual_seed(0)
mask = (torch.rand(8, 64, 64) > 0.5).to(torch.uint8)
area = mask.flatten(1).sum(-1, dtype=torch.uint8)  # fault: wrap


def harm():
    return (area != mask.flatten(1).sum(-1)).float().mean().item()

# right:
#- area = mask.flatten(1).sum(-1, dtype=torch.uint8)
#+ area = mask.flatten(1).sum(-1)
