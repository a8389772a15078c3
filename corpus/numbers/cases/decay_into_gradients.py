"""L2 decay is added to .grad between a scaled backward and the scaler's step: it is divided by the scale."""
import torch
from torch import nn


class Trainer:
    def __init__(self, model, decay):
        self.model, self.decay = model, decay
        self.opt = torch.optim.SGD(model.parameters(), lr=0.5)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=16384.0)

    def add_decay(self):
        with torch.no_grad():
            for p in self.model.parameters():
                if p.ndim > 1:
                    p.grad.add_(p, alpha=self.decay)  # fault: scaler-misuse

    def step(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.float16):
            loss = nn.functional.cross_entropy(self.model(x), y) * 1e-4
        self.scaler.scale(loss).backward()
        self.add_decay()
        self.scaler.step(self.opt)
        self.scaler.update()


torch.manual_seed(0)
model = nn.Linear(16, 4)
start = model.weight.detach().norm().item()
trainer = Trainer(model, 0.1)
for _ in range(10):
    trainer.step(torch.randn(8, 16), torch.randint(0, 4, (8,)))


def harm():
    return max(0.0, model.weight.detach().norm().item() / start / 0.95**10 - 1)

# right:
#-         self.add_decay()
#+         self.scaler.unscale_(self.opt)
#+         self.add_decay()
