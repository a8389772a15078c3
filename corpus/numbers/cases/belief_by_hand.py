"""AdaBelief by hand: its second moment of beta2 = 0.999 is kept in the bfloat16 of the weights."""
import torch
from torch import nn


class AdaBelief(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["m"] = torch.zeros_like(p)
                    state["s"] = torch.zeros_like(p)
                state["m"].lerp_(p.grad, 1 - beta1)
                diff = p.grad - state["m"]
                state["s"].mul_(beta2).addcmul_(diff, diff, value=1 - beta2)  # fault: state-in-half
                p.addcdiv_(state["m"], state["s"].sqrt().add_(group["eps"]), value=-group["lr"])


torch.manual_seed(0)
dtype = torch.bfloat16
net = nn.Linear(8, 1, bias=False).to(dtype)
optimizer = AdaBelief(net.parameters())
exact = torch.zeros(1, 8, dtype=torch.float64)
m = torch.zeros(1, 8, dtype=torch.float64)
for _ in range(1500):
    optimizer.zero_grad()
    (net(torch.randn(4, 8).to(dtype)).float() - torch.randn(4, 1)).square().mean().backward()
    g = net.weight.grad.double()
    m.lerp_(g, 0.1)
    exact.mul_(0.999).addcmul_(g - m, g - m, value=1 - 0.999)
    optimizer.step()


def harm():
    return ((optimizer.state[net.weight]["s"].double() - exact).norm() / exact.norm()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
