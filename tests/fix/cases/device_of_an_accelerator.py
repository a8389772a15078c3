# machine: a100
import torch
from torch import nn


class Accelerator:
    device = torch.device("cuda")

    def prepare(self, module):
        return module.to(self.device)


accelerator = Accelerator()
net = accelerator.prepare(nn.Linear(4, 3))
costs = torch.tensor([1.0, 2.0, 3.0])
for x in torch.randn(2, 5, 4).unbind():
    print((net(x.cuda()) * costs).sum())
# fixed:
#- costs = torch.tensor([1.0, 2.0, 3.0])
#+ costs = torch.tensor([1.0, 2.0, 3.0], device=accelerator.device)
