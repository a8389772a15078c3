"""Some inner steps of a task run within one autocast region: after the first the forward pass takes cached old weights."""
import torch
from torch import nn
from torch.nn import functional as F


def task(seed):
    generator = torch.Generator().manual_seed(seed)
    w = torch.randn(8, 1, generator=generator)
    x = torch.randn(64, 8, generator=generator)
    return x, x @ w


class Learner:
    def __init__(self, lr):
        self.net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
        self.start = {name: one.clone() for name, one in self.net.state_dict().items()}
        self.lr = lr

    def adapt(self, x, y, steps):
        self.net.load_state_dict(self.start)
        optimizer = torch.optim.SGD(self.net.parameters(), lr=self.lr)
        losses = []
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for _ in range(steps):
                out = self.net(x)  # fault: state-in-half
                loss = F.mse_loss(out.float(), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        return losses

    def meta(self, rate):
        now = self.net.state_dict()
        self.start = {name: one + rate * (now[name] - one) for name, one in self.start.items()}


torch.manual_seed(0)
learner = Learner(0.05)
history = []
for seed in range(4):
    x, y = task(seed)
    history.append(learner.adapt(x, y, 8))
    learner.meta(0.3)
x, y = task(99)
final = learner.adapt(x, y, 8)


def harm():
    return float(len(set(final)) == 1)

# right:
#-         with torch.autocast("cpu", dtype=torch.bfloat16):
#-             for _ in range(steps):
#-                 out = self.net(x)
#-                 loss = F.mse_loss(out.float(), y)
#-                 optimizer.zero_grad()
#-                 loss.backward()
#-                 optimizer.step()
#-                 losses.append(loss.item())
#+         for _ in range(steps):
#+             with torch.autocast("cpu", dtype=torch.bfloat16):
#+                 out = self.net(x)
#+                 loss = F.mse_loss(out.float(), y)
#+             optimizer.zero_grad()
#+             loss.backward()
#+             optimizer.step()
#+             losses.append(loss.item())
