"""An embedding trained in float16 by SGD with a small step."""
import torch
from torch import nn

torch.manual_seed(0)
table = nn.Embedding(20, 8).half()  # fault: half-parameters-without-master
start = table.weight.detach().clone()
optimizer = torch.optim.SGD(table.parameters(), lr=2e-4)
for _ in range(10):
    optimizer.zero_grad()
    loss = table(torch.arange(20)).float().square().mean(-1).sum()
    loss.backward()
    optimizer.step()


def harm():
    return (table.weight == start).float().mean().item()

# right:
#- table = nn.Embedding(20, 8).half()
#+ table = nn.Embedding(20, 8)
