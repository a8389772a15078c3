"""ALiBi by vmap over heads: distances of 3000 tokens are bfloat16, neighbours coincide."""
import torch

dtype = torch.bfloat16
tokens = 1500
place = torch.arange(tokens).to(dtype)  # fault: index-in-half
slopes = 2.0 ** -torch.arange(1.0, 9.0)


def bias(slope):
    distance = place[:, None] - place[None, -8:]
    return -slope * distance.abs().float()


table = torch.vmap(bias)(slopes)


def harm():
    exact = (torch.arange(tokens)[:, None] - torch.arange(tokens)[None, -8:]).abs()
    return (table[0] / -slopes[0] - exact).abs().max().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
