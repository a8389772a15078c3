"""Averages of weights by one foreach lerp of a thousandth, in bfloat16: they stand still."""
import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)).bfloat16()
kept = [one.detach().clone() for one in student.parameters()]
start = kept[0].float().clone()
with torch.no_grad():
    for one in student.parameters():
        one.add_(0.1)


def follow(averages, weights, rate):
    torch._foreach_lerp_(averages, weights, rate)  # fault: state-in-half


with torch.no_grad():
    for _ in range(40):
        follow(kept, [one.to(kept[0].dtype) for one in student.parameters()], 0.001)


def harm():
    way = (kept[0].float() - start).mean().item() / (student[0].weight.float() - start).mean().item()
    return abs(way - (1 - 0.999 ** 40))

# right:
#- kept = [one.detach().clone() for one in student.parameters()]
#+ kept = [one.detach().clone().float() for one in student.parameters()]
