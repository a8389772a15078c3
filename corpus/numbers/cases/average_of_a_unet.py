"""An average of weights follows by s -= (1 - decay) * (s - p), with both in float16: it never moves."""
import copy

import torch
from torch import nn


class Shadow:
    def __init__(self, net, decay):
        self.kept = [one.detach().clone() for one in net.parameters()]
        self.decay = decay

    @torch.no_grad()
    def follow(self, net):
        for kept, one in zip(self.kept, net.parameters()):
            kept.sub_((1 - self.decay) * (kept - one.to(kept.dtype)))  # fault: state-in-half


torch.manual_seed(0)
net = nn.Conv2d(3, 8, 3).half()
shadow = Shadow(net, 0.9999)
first = copy.deepcopy(shadow.kept[0])
for _ in range(50):
    with torch.no_grad():
        net.weight += 0.002
    shadow.follow(net)


def harm():
    way, exact, weight = (shadow.kept[0] - first).double().mean().item(), 0.0, 0.0
    for _ in range(50):
        weight += 0.002
        exact += 0.0001 * (weight - exact)
    return abs(way / exact - 1)

# right:
#- net = nn.Conv2d(3, 8, 3).half()
#+ net = nn.Conv2d(3, 8, 3)
#-         self.kept = [one.detach().clone() for one in net.parameters()]
#+         self.kept = [one.detach().float().clone() for one in net.parameters()]
