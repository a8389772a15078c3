"""A picture in 0..1 is stored as uint8 without its factor of 255: all of it is black."""
import torch

torch.manual_seed(0)
picture = torch.rand(3, 16, 16)
stored = picture.to(torch.uint8)  # fault: rounding-of-integers
shown = stored.float()


def harm():
    return float((shown == 0).float().mean())

# right:
#- stored = picture.to(torch.uint8)
#+ stored = (picture * 255).round().to(torch.uint8)
