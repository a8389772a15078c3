"""A map of instance numbers is resized by interpolate, which wants floats, in float16: numbers behind 2048 merge."""
import torch
import torch.nn.functional as F


def resize(labels, size, dtype):
    numbers = labels[None, None].to(dtype)  # fault: rounding-of-integers
    return F.interpolate(numbers, size=size, mode="nearest")[0, 0].long()


torch.manual_seed(0)
labels = torch.randint(0, 6000, (40, 40))
small = resize(labels, (20, 20), torch.float16)


def harm():
    return (small != labels[::2, ::2]).float().mean().item()

# right:
#- small = resize(labels, (20, 20), torch.float16)
#+ small = resize(labels, (20, 20), torch.float32)
