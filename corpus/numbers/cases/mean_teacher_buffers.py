"""A teacher's state dict follows by torch._foreach_mul_ and _foreach_add_ with 0.9999 in bfloat16."""
import torch
from torch import nn


@torch.no_grad()
def follow(teacher, student, keep):
    mine, other = list(teacher.parameters()), list(student.parameters())
    torch._foreach_mul_(mine, keep)  # fault: state-in-half
    torch._foreach_add_(mine, other, alpha=1 - keep)


torch.manual_seed(0)
student, teacher = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)
dtype = torch.bfloat16
student.to(dtype), teacher.to(dtype)
start = teacher.weight.detach().double().clone()
for _ in range(100):
    follow(teacher, student, 0.9999)


def harm():
    exact = start * 0.9999**100 + student.weight.detach().double() * (1 - 0.9999**100)
    return ((teacher.weight.detach().double() - exact).norm() / (exact - start).norm()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float64
