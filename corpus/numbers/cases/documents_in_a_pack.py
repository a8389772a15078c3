"""Packed documents: their numbers are compared in bfloat16, where neighbours behind 256 are one."""
import torch

document = torch.arange(600).repeat_interleave(2)
number = document.to(torch.bfloat16)  # fault: index-in-half
same = number[:, None] == number[None, :]


def harm():
    return float((same.sum(-1) != 2).float().mean())

# right:
#- number = document.to(torch.bfloat16)
#+ number = document
