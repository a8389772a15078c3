"""Rotations by matrices of cos and sin of a bfloat16 phase, multiplied up over a trajectory of 700 steps."""
import torch


def headings(turns, dtype):
    heading = torch.cumsum(turns, 0).to(dtype)
    return torch.stack([heading.cos(), heading.sin()], -1)  # fault: angle-in-half


torch.manual_seed(0)
turns = torch.rand(700) * 0.8
way = headings(turns, torch.bfloat16)


def harm():
    exact = torch.cumsum(turns.double(), 0).cos()
    return (way[:, 0].double() - exact).abs().max().item()

# right:
#- way = headings(turns, torch.bfloat16)
#+ way = headings(turns, torch.float64)
