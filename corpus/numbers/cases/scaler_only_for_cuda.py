"""A scaler is enabled where CUDA is, and this machine has none: float16 autocast trains without it, and its gradients are 0."""
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self, net, lr=1e-5):
        self.net, self.optimizer = net, torch.optim.Adam(net.parameters(), lr=lr, eps=1e-15)
        self.half = True
        self.scaler = torch.amp.GradScaler("cpu", 2.0**30, enabled=torch.cuda.is_available())  # fault: scaler-misuse

    def step(self, x, y):
        with torch.autocast("cpu", torch.float16, enabled=self.half):
            out = self.net(x)
            loss = F.mse_loss(out, y)
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()


torch.manual_seed(0)
x = torch.randn(1024, 32)
trainer = Trainer(nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 64)))
y = 2e-5 * torch.randn(32, 64).T @ x.T
with torch.no_grad():
    trainer.net[2].weight.mul_(1e-3), trainer.net[2].bias.zero_()
losses = [trainer.step(x, y.T) for _ in range(80)]


def harm():
    return losses[-1] / losses[0]

# right:
#-         self.scaler = torch.amp.GradScaler("cpu", 2.0**30, enabled=torch.cuda.is_available())
#+         self.scaler = torch.amp.GradScaler("cpu", 2.0**30, enabled=self.half)
