"""A forward hook follows the range of activations for quantization, a hundredth a batch, in the model's bfloat16."""
import torch
from torch import nn


class RangeObserver:
    def __init__(self, share=0.005):
        self.low = self.high = None
        self.share = share

    def __call__(self, module, args, out):
        low, high = torch.aminmax(out.detach())
        if self.high is None:
            self.low, self.high = low.clone(), high.clone()
            return
        for kept, new in ((self.low, low), (self.high, high)):
            kept += self.share * (new - kept)  # fault: state-in-half


torch.manual_seed(0)
net = nn.Linear(16, 64).bfloat16()
observer = RangeObserver()
net.register_forward_hook(observer)
seen = []
with torch.no_grad():
    for i in range(1200):
        x = torch.randn(32, 16).bfloat16() * (0.3 if i == 0 else 3.0)
        seen.append(net(x).max().item())


def harm():
    high = seen[0]
    for one in seen[1:]:
        high += 0.005 * (one - high)
    return abs(observer.high.item() / high - 1)

# right:
#-         low, high = torch.aminmax(out.detach())
#+         low, high = torch.aminmax(out.detach().float())
