"""An EMA class keeps what it was given: averages in bfloat16, replaced, not updated in place, do not move."""
import torch
from torch import nn


class Average:
    def __init__(self, model, decay):
        self.decay = decay
        self.values = {name: one.detach().clone() for name, one in model.named_parameters()}

    def update(self, model):
        for name, one in model.named_parameters():
            old = self.values[name]
            self.values[name] = old - (1 - self.decay) * (old - one.detach())  # fault: state-in-half


torch.manual_seed(0)
model = nn.Linear(12, 12).to(torch.bfloat16)
average = Average(model, 0.999)
start = average.values["weight"].float().clone()
with torch.no_grad():
    model.weight += 0.05
for _ in range(50):
    average.update(model)


def harm():
    way = (average.values["weight"].float() - start).mean().item() / (model.weight.float() - start).mean().item()
    return abs(way - (1 - 0.999 ** 50))

# right:
#-         self.values = {name: one.detach().clone() for name, one in model.named_parameters()}
#+         self.values = {name: one.detach().float() for name, one in model.named_parameters()}
