"""A depth map in millimetres is cast to float16: behind 65 metres the world is infinitely far."""
import torch

torch.manual_seed(0)
depth = torch.randint(500, 90_000, (32, 32))
metres = depth.half() / 1000  # fault: overflow


def harm():
    return metres.isinf().float().mean().item()

# right:
#- metres = depth.half() / 1000
#+ metres = (depth / 1000).half()
