"""Two uint8 pictures are added before they are halved: bright pixels wrap."""
import torch

torch.manual_seed(0)
one, other = torch.randint(0, 256, (2, 24, 24), dtype=torch.uint8)
blend = (one + other) // 2  # fault: wrap


def harm():
    return (blend.long() - (one.long() + other.long()) // 2).abs().max().item()

# right:
#- blend = (one + other) // 2
#+ blend = one // 2 + other // 2 + (one % 2 + other % 2) // 2
