"""Grey of a uint8 picture by whole weights: 299 does not fit into a byte, and neither does the sum."""
import torch


def to_gray(image):
    r, g, b = image.unbind(-3)
    return (r * 77 + g * 150 + b * 29) >> 8  # fault: wrap


torch.manual_seed(0)
batch = torch.randint(0, 256, (2, 3, 16, 16), dtype=torch.uint8)
gray = to_gray(batch)


def harm():
    exact = (batch.double() * torch.tensor([77.0, 150.0, 29.0]).view(3, 1, 1)).sum(1).div(256).floor()
    return (gray.double() - exact).abs().mean().item() / 128

# right:
#- gray = to_gray(batch)
#+ gray = to_gray(batch.int())
