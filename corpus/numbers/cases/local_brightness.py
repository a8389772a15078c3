"""Local brightness by a box convolution of a float16 photograph, before it is divided by the number of pixels."""
import torch
import torch.nn.functional as F


def local_mean(picture, size):
    box = torch.ones(1, 1, size, size, dtype=picture.dtype)
    total = F.conv2d(picture, box, padding=size // 2)  # fault: overflow
    return total / size**2


torch.manual_seed(0)
photo = torch.randint(100, 256, (1, 1, 64, 64))
half = photo.to(torch.float16)
mean = local_mean(half, 31)
flat = half / mean


def harm():
    return (flat == 0).float().mean().item()

# right:
#- half = photo.to(torch.float16)
#+ half = photo.to(torch.float32)
