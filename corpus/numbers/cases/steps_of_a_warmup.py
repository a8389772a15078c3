"""A learning rate's share of warm-up is counted in a bfloat16 buffer, which stops at 256 steps."""
import torch
from torch import nn


class WarmUp(nn.Module):
    def __init__(self, total):
        super().__init__()
        self.register_buffer("done", torch.zeros(()))
        self.total = total

    def forward(self):
        self.done += 1  # fault: accumulate-in-half
        return (self.done / self.total).clamp(max=1)


warm = WarmUp(1000).to(torch.bfloat16)
for _ in range(600):
    share = warm()


def harm():
    return abs(share.item() - 0.6)

# right:
#- warm = WarmUp(1000).to(torch.bfloat16)
#+ warm = WarmUp(1000)
