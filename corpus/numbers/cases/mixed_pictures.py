"""A blend (a + b) // 2 of uint8 pictures: the sum wraps before it is halved."""
import torch

torch.manual_seed(0)
a, b = torch.randint(0, 256, (2, 3, 32, 32), dtype=torch.uint8)
blend = torch.div(a + b, 2, rounding_mode="floor")  # fault: wrap


def harm():
    return (blend.double() - (a.double() + b.double()) / 2).abs().mean().item() / 255

# right:
#- blend = torch.div(a + b, 2, rounding_mode="floor")
#+ blend = torch.div(a.int() + b.int(), 2, rounding_mode="floor").to(torch.uint8)
