"""1 - cos of small angles in float16 is 0."""
import torch

torch.manual_seed(0)
delta = (torch.rand(500) * 0.02).half()
gap = 1 - torch.cos(delta)  # fault: cancellation


def harm():
    right = 2 * torch.sin(delta.double() / 2).square()
    return ((gap.double() - right).norm() / right.norm()).item()

# right:
#- gap = 1 - torch.cos(delta)
#+ gap = 2 * torch.sin(delta.float() / 2).square()
