"""Gradients are clipped to 0.1 each inside a closure, before scaler.step has divided them by 2048."""
import torch
from torch import nn


class Trainer:
    max_grad = 0.1

    def __init__(self, model):
        self.model, self.scaler = model, torch.amp.GradScaler("cpu", init_scale=2048.0)
        self.optim = torch.optim.SGD(model.parameters(), lr=0.3)

    def backward(self, loss):
        self.scaler.scale(loss).backward()

    def limit(self):
        for p in self.model.parameters():
            p.grad.clamp_(-self.max_grad, self.max_grad)  # fault: scaler-misuse

    def update(self):
        self.limit()
        self.scaler.step(self.optim)
        self.scaler.update()
        self.optim.zero_grad()


torch.manual_seed(0)
model = nn.Linear(6, 2)
start = model.weight.detach().clone()
trainer = Trainer(model)
for _ in range(5):
    with torch.autocast("cpu", torch.float16):
        out = model(torch.randn(8, 6))
    trainer.backward((out.float() - 2).square().mean())
    trainer.update()


def harm():
    return 1.0 if (model.weight - start).abs().max() < 1e-3 else 0.0

# right:
#-         self.limit()
#+         self.scaler.unscale_(self.optim)
#+         self.limit()
