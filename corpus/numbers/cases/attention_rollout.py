"""Attention rollout multiplies 12 maps in float16 of 500 tokens: shares of 0.002 to the power vanish to 0."""
import torch


def rollout(maps):
    joint = maps[0] / maps.shape[-1]
    for one in maps[1:]:
        joint = torch.mm(one, joint) / one.shape[-1]  # fault: underflow
    return joint


torch.manual_seed(0)
maps = torch.rand(6, 64, 64).softmax(-1)
joint = rollout(maps.half())


def harm():
    exact = rollout(maps.double())
    return ((joint - exact).norm() / exact.norm()).item()

# right:
#- joint = rollout(maps.half())
#+ joint = rollout(maps)
