"""EWC's Fisher information, squares of gradients of 700 samples summed in the bfloat16 of the weights."""
import torch
from torch import nn


class EWC:
    def __init__(self, model):
        self.model = model
        self.fisher = {n: torch.zeros_like(p) for n, p in model.named_parameters()}

    def observe(self, x, y):
        self.model.zero_grad()
        nn.functional.cross_entropy(self.model(x).float(), y).backward()
        for n, p in self.model.named_parameters():
            self.fisher[n] += p.grad.pow(2)  # fault: accumulate-in-half


torch.manual_seed(0)
model = nn.Linear(12, 4).bfloat16()
ewc = EWC(model)
exact = torch.zeros(4, 12, dtype=torch.float64)
for _ in range(700):
    ewc.observe(torch.rand(1, 12).to(model.weight.dtype), torch.randint(0, 4, (1,)))
    exact += model.weight.grad.double().pow(2)


def harm():
    return ((ewc.fisher["weight"].double() - exact).norm() / exact.norm()).item()

# right:
#-         self.fisher = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
#+         self.fisher = {n: torch.zeros_like(p, dtype=torch.float32) for n, p in model.named_parameters()}
