"""A metric that is a module is cast with the network: its bfloat16 total stands still."""
import torch
from torch import nn


class Mean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def update(self, values):
        self.total += values.sum()  # fault: accumulate-in-half
        self.count += values.numel()


torch.manual_seed(0)
metric = Mean().bfloat16()
batches = [torch.rand(4).bfloat16() * 0.2 + 0.9 for _ in range(600)]
for values in batches:
    metric.update(values)


def harm():
    right = torch.cat(batches).double().mean().item()
    return abs(float(metric.total) / int(metric.count) / right - 1)

# right:
#- metric = Mean().bfloat16()
#+ metric = Mean()
