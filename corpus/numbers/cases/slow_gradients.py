"""Grokfast follows an average of gradients that still carry the scale: one overflow, and the average is infinite for good."""
import torch
from torch import nn


class SlowGradients:
    def __init__(self, params, alpha=0.9, strength=1.0):
        self.params, self.alpha, self.strength = list(params), alpha, strength
        self.means = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def amplify(self):
        for p, mean in zip(self.params, self.means):
            mean.mul_(self.alpha).add_(p.grad, alpha=1 - self.alpha)  # fault: scaler-misuse
            p.grad.add_(mean, alpha=self.strength)


torch.manual_seed(0)
net = nn.Linear(16, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24)
slow = SlowGradients(net.parameters())
losses = []
for _ in range(120):
    x = torch.randn(64, 16)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    loss = (out.float() - x.sum(1, keepdim=True)).square().mean()
    losses.append(loss.item())
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    slow.amplify()
    scaler.step(optimizer)
    scaler.update()


def harm():
    return losses[-1] / losses[0]

# right:
#-     slow.amplify()
#+     scaler.unscale_(optimizer)
#+     if all(p.grad.isfinite().all() for p in net.parameters()):
#+         slow.amplify()
