"""The running statistics of a batch norm are bfloat16 like the rest of the model: with a momentum of 0.01 they stop well before the true variance."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
conv = nn.Conv2d(3, 8, 3, bias=False).bfloat16()
with torch.no_grad():
    conv.weight.mul_(10)
running_mean = torch.zeros(8, dtype=torch.bfloat16)
running_var = torch.ones(8, dtype=torch.bfloat16)
images = (torch.randn(4, 3, 16, 16) + 0.5).bfloat16()
steps = 500
with torch.no_grad():
    features = conv(images)
    for step in range(steps):
        hidden = F.relu(F.batch_norm(features, running_mean, running_var, training=True, momentum=0.01))  # fault: state-in-half


def harm():
    exact = features.double()
    kept = 0.99 ** steps
    right = kept + (1 - kept) * exact.var((0, 2, 3))
    return ((running_var.double() - right).norm() / right.norm()).item()

# right:
#- running_mean = torch.zeros(8, dtype=torch.bfloat16)
#- running_var = torch.ones(8, dtype=torch.bfloat16)
#+ running_mean = torch.zeros(8)
#+ running_var = torch.ones(8)
#-         hidden = F.relu(F.batch_norm(features, running_mean, running_var, training=True, momentum=0.01))
#+         hidden = F.relu(F.batch_norm(features, running_mean, running_var, training=True, momentum=0.01))
