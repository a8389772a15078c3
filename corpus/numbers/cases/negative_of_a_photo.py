"""Contrast is raised around 128 on a uint8 photo: what is darker than 128 wraps to bright."""
import torch


def contrast(photo, factor):
    moved = (photo - 128) * factor + 128.0  # fault: wrap
    return moved.clamp(0, 255).round().to(torch.uint8)


torch.manual_seed(0)
photo = torch.randint(0, 256, (3, 20, 20), dtype=torch.uint8)
sharp = contrast(photo, 1.5)


def harm():
    exact = ((photo.double() - 128) * 1.5 + 128).clamp(0, 255).round()
    return (sharp.double() - exact).abs().mean().item() / 255

# right:
#- sharp = contrast(photo, 1.5)
#+ sharp = contrast(photo.float(), 1.5)
