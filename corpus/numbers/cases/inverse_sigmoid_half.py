"""Reference points are kept off 1 by clamping to 1 - 1e-5, which is 1 in float16: the inverse sigmoid of a point at the border is infinite."""
import torch
from torch import nn

torch.manual_seed(0)
eps = 1e-5
points = torch.rand(50, 2).clamp(0.05, 0.95).half()
points[:5, 0] = 1.0  # objects that touch the right border
offset = nn.Linear(2, 2).half()


def inverse_sigmoid(x):
    x = x.clamp(eps, 1 - eps)  # fault: eps-vanishes
    return torch.log(x / (1 - x))


with torch.no_grad():
    logits = inverse_sigmoid(points)
    refined = torch.sigmoid(logits.float() + offset(points).float()).half()


def harm():
    x = points.double().clamp(eps, 1 - eps)
    right = torch.log(x / (1 - x))
    return ((logits.double() - right).norm() / right.norm()).item()

# right:
#-     x = x.clamp(eps, 1 - eps)
#+     x = x.float().clamp(eps, 1 - eps)
