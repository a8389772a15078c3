# machine: a100
import torch
from torch import nn
from torch.nn import functional as F


class Loss:
    def __init__(self, costs):
        self.costs = torch.tensor(costs)

    def __call__(self, logits, labels):
        return F.cross_entropy(logits.view(-1, 2), labels.view(-1), weight=self.costs)


def main(device):
    net, loss = nn.Linear(4, 2).to(device), Loss([0.5, 2.0])
    x, y = torch.randn(3, 4, device=device), torch.zeros(3, dtype=torch.int64, device=device)
    loss(net(x), y).backward()


main("cuda")
# fixed:
#-         return F.cross_entropy(logits.view(-1, 2), labels.view(-1), weight=self.costs)
#+         return F.cross_entropy(logits.view(-1, 2), labels.view(-1), weight=self.costs.to(logits.device))
