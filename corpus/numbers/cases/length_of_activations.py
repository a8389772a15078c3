"""The length of a row of activations by hand in float16: the sum of their squares is infinite."""
import torch

torch.manual_seed(0)
rows = (torch.randn(4, 4096) * 10).half()
length = (rows * rows).sum(-1).sqrt()  # fault: overflow


def harm():
    return length.isinf().float().mean().item()

# right:
#- length = (rows * rows).sum(-1).sqrt()
#+ length = (rows.float() * rows.float()).sum(-1).sqrt()
