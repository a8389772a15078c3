"""A cross fade of two uint8 frames, (a * w + b * (255 - w)) // 255, with a uint8 weight: both products wrap."""
import torch


def fade(a, b, w):
    return (a * w + b * (255 - w)) // 255  # fault: wrap


torch.manual_seed(0)
first = torch.randint(0, 256, (3, 24, 24), dtype=torch.uint8)
second = torch.randint(0, 256, (3, 24, 24), dtype=torch.uint8)
w = torch.linspace(0, 255, 24).to(torch.uint8)
faded = fade(first, second, w)


def harm():
    exact = fade(first.int(), second.int(), w.int())
    return (faded.int() - exact).abs().float().mean().item()

# right:
#- faded = fade(first, second, w)
#+ faded = fade(first.int(), second.int(), w.int())
