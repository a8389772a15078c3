"""torch's RMSprop on a float16 embedding: its eps of 1e-8 is 0, and rows without a gradient become NaN."""
import torch
from torch import nn


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 8)
        self.head = nn.Linear(8, 8)

    def forward(self, ids):
        return self.head(self.table(ids)).float()


def fit(net):
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.arange(10)).square().mean().backward()
        optimizer.step()


torch.manual_seed(0)
net = Words()
net.half()  # fault: half-parameters-without-master
fit(net)


def harm():
    return net.table.weight.isnan().float().mean().item()

# right:
#- net.half()
#- fit(net)
#+ fit(net)
