"""A trainer of two networks scales one loss only; both optimizers step by the scaler."""
import torch
from torch import nn


class Pair:
    def __init__(self, maker, judge):
        self.maker, self.judge = maker, judge
        self.scaler = torch.amp.GradScaler("cpu")
        self.makes = torch.optim.SGD(maker.parameters(), lr=0.1)
        self.judges = torch.optim.SGD(judge.parameters(), lr=0.1)

    def step(self, real):
        with torch.autocast("cpu", torch.float16):
            fake = self.maker(torch.randn_like(real))
            verdict = self.judge(real).mean() - self.judge(fake.detach()).mean()
        self.judges.zero_grad()
        self.scaler.scale(-verdict.float()).backward()
        self.scaler.step(self.judges)
        with torch.autocast("cpu", torch.float16):
            loss = -self.judge(fake).float().mean()
        self.makes.zero_grad()
        loss.backward()  # fault: scaler-misuse
        self.scaler.step(self.makes)
        self.scaler.update()


torch.manual_seed(0)
pair = Pair(nn.Linear(8, 8), nn.Linear(8, 1))
start = pair.maker.weight.detach().clone()
for _ in range(3):
    pair.step(torch.randn(4, 8))


def harm():
    return 1.0 if (pair.maker.weight - start).abs().max().item() < 1e-4 else 0.0

# right:
#-         loss.backward()
#+         self.scaler.scale(loss).backward()
