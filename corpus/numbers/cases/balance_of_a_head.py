"""A temperature of contrastive learning is a bfloat16 parameter near 4.6: SGD at 1e-2 moves it nowhere."""
import math

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.proj = nn.Linear(16, 8)
        self.scale = nn.Parameter(torch.tensor(math.log(1 / 0.01), dtype=dtype))  # fault: half-parameters-without-master

    def forward(self, a, b):
        a, b = (nn.functional.normalize(self.proj(x), dim=-1) for x in (a, b))
        return a @ b.T * self.scale.float()


torch.manual_seed(0)
head = Head(torch.bfloat16)
start = head.scale.detach().clone()
optimizer = torch.optim.SGD(head.parameters(), lr=1e-2)
for _ in range(30):
    a = torch.randn(8, 16)
    logits = head(a, a + torch.randn(8, 16) * 0.1)
    loss = nn.functional.cross_entropy(logits, torch.arange(8))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    return float(head.scale.item() == start.item())

# right:
#- head = Head(torch.bfloat16)
#+ head = Head(torch.float32)
