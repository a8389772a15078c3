"""A brightened picture is cast to uint8 without a clamp: 270 becomes 14."""
import torch

torch.manual_seed(0)
picture = torch.rand(3, 8, 8)
brighter = picture * 255 + 40
stored = brighter.to(torch.uint8)  # fault: wrap


def harm():
    return (stored.float() - brighter.clamp(0, 255)).abs().max().item() // 2

# right:
#- stored = brighter.to(torch.uint8)
#+ stored = brighter.clamp(0, 255).to(torch.uint8)
