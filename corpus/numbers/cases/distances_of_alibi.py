"""The bias of ALiBi: distances in bfloat16, of which 256 and more collide, times the slope."""
import torch

places = torch.arange(1024, dtype=torch.bfloat16)  # fault: index-in-half
distance = places[None, :] - places[:, None]
bias = distance * 0.5


def harm():
    right = (torch.arange(1024)[None, :] - torch.arange(1024)[:, None]) * 0.5
    return (bias.double() - right).abs().max().item()

# right:
#- places = torch.arange(1024, dtype=torch.bfloat16)
#+ places = torch.arange(1024)
