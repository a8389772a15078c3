"""An EMA of weights in bfloat16 by torch._foreach_lerp_ with weight 1e-3."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(32, 32)


class Average:
    def __init__(self, params, dtype):
        self.kept = [p.detach().to(dtype).clone() for p in params]

    @torch.no_grad()
    def update(self, params, rate=1e-3):
        torch._foreach_lerp_(self.kept, [p.detach().to(k.dtype) for p, k in zip(params, self.kept)], rate)  # fault: state-in-half


average = Average(net.parameters(), torch.bfloat16)
first = average.kept[0].double().clone()
with torch.no_grad():
    net.weight.mul_(1.3)
for _ in range(100):
    average.update(list(net.parameters()))


def harm():
    exact = first + (net.weight.detach().double() - first) * (1 - 0.999**100)
    return ((average.kept[0].double() - exact).norm() / (exact - first).norm()).item()

# right:
#- average = Average(net.parameters(), torch.bfloat16)
#+ average = Average(net.parameters(), torch.float32)
