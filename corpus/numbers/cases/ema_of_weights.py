"""An EMA with decay 0.9999 in bfloat16: 1 - decay of the difference is below the spacing."""
import torch
from torch import nn

torch.manual_seed(0)
live = nn.Linear(12, 12).bfloat16()
shadow = [value.detach().clone() for value in live.parameters()]
with torch.no_grad():
    for value in live.parameters():
        value.add_(0.05)
    for _ in range(200):
        for slow, fast in zip(shadow, live.parameters()):
            slow.mul_(0.9999).add_(fast, alpha=1 - 0.9999)  # fault: state-in-half


def harm():
    way = (live.weight.double() - shadow[0].double()).mean().item() / 0.05
    return abs(way - 0.9999 ** 200)

# right:
#- shadow = [value.detach().clone() for value in live.parameters()]
#+ shadow = [value.detach().clone().float() for value in live.parameters()]
