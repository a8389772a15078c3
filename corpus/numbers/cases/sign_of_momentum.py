"""An optimizer of the program's own, momentum and sign, in torch.optim.Optimizer's form, on bfloat16 parameters."""
import torch
from torch import nn


class SignMomentum(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-5, beta=0.9):
        super().__init__(params, {"lr": lr, "beta": beta})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["buffer"] = torch.zeros_like(p)
                state["buffer"].lerp_(p.grad, 1 - group["beta"])
                p.add_(state["buffer"].sign(), alpha=-group["lr"])


torch.manual_seed(1)
head = nn.Linear(32, 4).to(torch.bfloat16)  # fault: half-parameters-without-master
optimizer = SignMomentum(head.parameters())
start = head.weight.detach().clone()
for _ in range(20):
    optimizer.zero_grad()
    head(torch.randn(8, 32).to(head.weight.dtype)).float().pow(2).mean().backward()
    optimizer.step()


def harm():
    return (head.weight == start).float().mean().item()

# right:
#- head = nn.Linear(32, 4).to(torch.bfloat16)
#+ head = nn.Linear(32, 4)
