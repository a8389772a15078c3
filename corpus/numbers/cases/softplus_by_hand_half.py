"""The step size of a state-space layer is a softplus written as log(1 + exp(x)) in float16: above 11.1 the exponential is infinite."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
project = nn.Linear(16, 8).half()
nn.init.constant_(project.bias, 6.0)
hidden = (torch.randn(64, 16) * 5).half()
decay = -torch.linspace(0.01, 0.1, 8)
with torch.no_grad():
    raw = project(hidden)
    step = torch.log(1 + torch.exp(raw))  # fault: overflow
    gate = torch.exp(step.float() * decay)


def harm():
    right = F.softplus(raw.double(), threshold=50)
    return ((step.double() - right).norm() / right.norm()).item()

# right:
#-     step = torch.log(1 + torch.exp(raw))
#+     step = F.softplus(raw)
