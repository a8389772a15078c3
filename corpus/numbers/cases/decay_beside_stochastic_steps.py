"""An Adam for bfloat16 weights rounds its steps stochastically, and its weight decay not at all."""
import torch
from torch import nn

torch.manual_seed(0)


def copy_stochastic_(target, source):
    bits = source.view(torch.int32) + torch.randint(0, 1 << 16, source.shape, dtype=torch.int32)
    target.copy_((bits & -65536).view(torch.float32))


class Adam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, decay=0.1):
        super().__init__(params, {"lr": lr, "decay": decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.mul_(1 - group["lr"] * group["decay"])  # fault: half-parameters-without-master
                copy_stochastic_(p, p.float() - group["lr"] * p.grad.float().sign() * 0)


net = nn.Linear(64, 64, bias=False).to(torch.bfloat16)
start = net.weight.detach().double().norm()
optimizer = Adam(net.parameters())
for _ in range(300):
    net.zero_grad()
    net(torch.randn(4, 64).bfloat16()).float().mean().backward()
    optimizer.step()


def harm():
    return abs((net.weight.detach().double().norm() / start).item() - (1 - 1e-4) ** 300)

# right:
#-                 p.mul_(1 - group["lr"] * group["decay"])
#-                 copy_stochastic_(p, p.float() - group["lr"] * p.grad.float().sign() * 0)
#+                 copy_stochastic_(p, p.float() * (1 - group["lr"] * group["decay"]))
