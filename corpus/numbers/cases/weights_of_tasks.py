"""Gradients of a loss times 1024 are divided by hand for the network alone: the weights of tasks step 1024 times too far."""
import torch
from torch import nn


class Uncertainties(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(tasks))

    def forward(self, losses):
        return (torch.exp(-self.log_var) * losses + self.log_var).sum()


torch.manual_seed(0)
net, balance = nn.Linear(8, 2), Uncertainties(2)
optimizer = torch.optim.SGD([*net.parameters(), *balance.parameters()], lr=0.03)
scale = 1024.0
for _ in range(400):
    x = torch.randn(64, 8)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    target = torch.stack([x[:, 0], x[:, 1]], 1) + torch.tensor([0.6065, 1.0]) * torch.randn(64, 2)
    loss = balance((out.float() - target).square().mean(0))
    optimizer.zero_grad()
    (loss * scale).backward()
    torch._foreach_div_([p.grad for p in net.parameters()], scale)  # fault: scaler-misuse
    optimizer.step()


def harm():
    return (balance.log_var - torch.tensor([-1.0, 0.0])).abs().max().nan_to_num(99.0).item()

# right:
#-     torch._foreach_div_([p.grad for p in net.parameters()], scale)
#+     torch._foreach_div_([p.grad for p in [*net.parameters(), *balance.parameters()]], scale)
