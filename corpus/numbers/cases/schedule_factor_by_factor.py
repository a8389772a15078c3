"""A noise level that is multiplied by a factor near 1 in each of 500 steps, in bfloat16."""
import torch

level = torch.ones((), dtype=torch.bfloat16)
for loss in torch.linspace(1e-4, 2e-2, 500):
    level = level * (1 - loss).bfloat16()  # fault: accumulate-in-half


def harm():
    exact = (1 - torch.linspace(1e-4, 2e-2, 500).double()).prod().item()
    return abs(level.item() / exact - 1)

# right:
#- level = torch.ones((), dtype=torch.bfloat16)
#+ level = torch.ones(())
#-     level = level * (1 - loss).bfloat16()
#+     level = level * (1 - loss)
