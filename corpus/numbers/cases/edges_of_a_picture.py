"""torch.diff of a uint8 picture: a step down from 200 to 100 is 156."""
import torch

torch.manual_seed(0)
picture = torch.randint(0, 256, (16, 64), dtype=torch.uint8)
edges = torch.diff(picture, dim=1).float()  # fault: wrap


def harm():
    return (edges - torch.diff(picture.float(), dim=1)).abs().mean().item()

# right:
#- edges = torch.diff(picture, dim=1).float()
#+ edges = torch.diff(picture.float(), dim=1)
