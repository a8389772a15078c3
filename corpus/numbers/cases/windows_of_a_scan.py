"""A CT window to 0..1 by minimum and maximum in float16, with an eps of 1e-8; a slice of air is constant."""
import torch


def to_unit(slices):
    flat = slices.flatten(1)
    low, high = flat.amin(1, keepdim=True), flat.amax(1, keepdim=True)
    return ((flat - low) / (high - low + 1e-8)).view_as(slices)  # fault: eps-vanishes


torch.manual_seed(0)
scan = torch.randint(-1000, 1000, (6, 32, 32)).float()
scan[0] = -1000.0
unit = to_unit(scan.half())
bright = unit.mean()


def harm():
    return unit.isnan().float().mean().item() + float(bright.isnan())

# right:
#- unit = to_unit(scan.half())
#+ unit = to_unit(scan.float())
