# machine: a100
# real: cpu
import torch
from torch import nn


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                p.mul_(1 - group["lr"] * group["weight_decay"])
                b1, b2 = group["betas"]
                update = state["exp_avg"].mul(b1).add(p.grad, alpha=1 - b1).sign_()
                p.add_(update, alpha=-group["lr"])
                state["exp_avg"].mul_(b2).add_(p.grad, alpha=1 - b2)


dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(4, 4).to(dev, torch.bfloat16)
optimizer = Lion(model.parameters())
masters = [p.detach().clone().float() for p in model.parameters()]
for _ in range(2):
    model(torch.randn(2, 4, device=dev, dtype=torch.bfloat16)).float().sum().backward()
    for p, m in zip(model.parameters(), masters):
        m.add_(p.grad.float(), alpha=-0.1)
        p.data.copy_(m)
    optimizer.step()
    optimizer.zero_grad()
torch.save(optimizer.state_dict(), "lion.pt")
optimizer.load_state_dict(torch.load("lion.pt"))
