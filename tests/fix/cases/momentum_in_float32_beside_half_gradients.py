# machine: a100
import torch
from torch import nn


class Lion(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.5})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                average = self.state[p].setdefault("average", torch.zeros(p.shape, device=p.device))
                p.add_(average.lerp(p.grad, 0.1).sign_(), alpha=-group["lr"])
                average.lerp_(p.grad, 0.5)


net = nn.Linear(8, 4).to("cuda", torch.bfloat16)
optimizer = Lion(net.parameters())
net(torch.randn(2, 8, device="cuda", dtype=torch.bfloat16)).sum().backward()
optimizer.step()
# fixed:
#-                 p.add_(average.lerp(p.grad, 0.1).sign_(), alpha=-group["lr"])
#-                 average.lerp_(p.grad, 0.5)
#+                 p.add_(average.lerp(p.grad.to(average.dtype), 0.1).sign_(), alpha=-group["lr"])
#+                 average.lerp_(p.grad.to(average.dtype), 0.5)
