"""The log-probability of a long sequence, summed token by token in float16."""
import torch

torch.manual_seed(0)
steps = -torch.rand(2000) * 0.4
total = torch.zeros((), dtype=torch.float16)
for step in steps:
    total = total + step.half()  # fault: accumulate-in-half


def harm():
    return abs(total.item() - steps.double().sum().item())

# right:
#- total = torch.zeros((), dtype=torch.float16)
#+ total = torch.zeros(())
#-     total = total + step.half()
#+     total = total + step
