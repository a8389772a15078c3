"""A trainer's class casts its network as it takes it, and gives groups of bfloat16 parameters to AdamW."""
import torch
from torch import nn


class Trainer:
    def __init__(self, net, rate):
        self.net = net.to(dtype=torch.bfloat16)  # fault: half-parameters-without-master
        self.optimizer = self.configure(rate)

    def configure(self, rate):
        gains = [one for name, one in self.net.named_parameters() if one.ndim == 1]
        others = [one for one in self.net.parameters() if one.ndim > 1]
        groups = [{"params": others, "weight_decay": 0.01}, {"params": gains, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=rate)

    def step(self, batch):
        out = self.net(batch.to(next(self.net.parameters()).dtype))
        loss = (out.float() - batch.float()).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(16, 16), nn.LayerNorm(16)), 1e-4)
for _ in range(5):
    trainer.step(torch.randn(8, 16))


def harm():
    return (trainer.net[1].weight == 1).float().mean().item()

# right:
#-         self.net = net.to(dtype=torch.bfloat16)
#+         self.net = net
