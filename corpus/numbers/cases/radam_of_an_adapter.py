"""Adapter layers are made with the dtype of the frozen backbone, bfloat16, and RAdam trains them at 3e-5."""
import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, width, rank, dtype):
        super().__init__()
        self.down = nn.Linear(width, rank, dtype=dtype)  # fault: half-parameters-without-master
        self.up = nn.Linear(rank, width, dtype=torch.float32)

    def forward(self, x):
        return x + self.up(torch.tanh(self.down(x.to(self.down.weight.dtype))).float())


torch.manual_seed(0)
backbone = nn.Linear(16, 16).requires_grad_(False)
adapter = Adapter(16, 8, torch.bfloat16)
first = adapter.down.weight.detach().clone()
optimizer = torch.optim.RAdam(adapter.parameters(), lr=3e-5)
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, 1.0, 5)
for _ in range(12):
    x = torch.randn(32, 16)
    loss = (adapter(backbone(x)) - x.roll(1, 1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()


def harm():
    return (adapter.down.weight == first).float().mean().item()

# right:
#- adapter = Adapter(16, 8, torch.bfloat16)
#+ adapter = Adapter(16, 8, torch.float32)
