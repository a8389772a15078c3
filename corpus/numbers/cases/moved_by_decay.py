"""Weight decay alone, lr * wd = 1e-3 * 0.1, by SGD on bfloat16 embeddings that get no gradient: they never shrink."""
import torch
from torch import nn

torch.manual_seed(0)
rows = nn.Embedding(20, 8).to(torch.bfloat16)  # fault: half-parameters-without-master
optimizer = torch.optim.SGD(rows.parameters(), lr=1e-3, weight_decay=0.1)
first = rows.weight.detach().clone()
for _ in range(100):
    rows.weight.grad = torch.zeros_like(rows.weight)
    optimizer.step()


def harm():
    ratio = (rows.weight.detach().double().norm() / first.double().norm()).item()
    return abs((1 - ratio) / (1 - (1 - 1e-4) ** 100) - 1)

# right:
#- rows = nn.Embedding(20, 8).to(torch.bfloat16)
#+ rows = nn.Embedding(20, 8)
