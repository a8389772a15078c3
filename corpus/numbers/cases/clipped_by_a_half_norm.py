"""The norm of all gradients is summed from float16 squares: it is infinite, and clipping multiplies the gradients by 0."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(3))
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.head(x)


class Master:
    """Float32 weights beside a float16 model."""

    def __init__(self, model):
        self.model = model
        self.wide = [p.detach().float() for p in model.parameters()]
        self.optimizer = torch.optim.SGD(self.wide, lr=1e-4)

    def step(self, grads):
        for wide, grad in zip(self.wide, grads, strict=True):
            wide.grad = grad.float()
        self.optimizer.step()
        with torch.no_grad():
            for wide, p in zip(self.wide, self.model.parameters(), strict=True):
                p.copy_(wide)


def clipped(grads, most):
    total = sum(grad.square().sum() for grad in grads).sqrt()  # fault: overflow
    return [grad * (most / (total + 1e-6)).clamp(max=1.0) for grad in grads]


torch.manual_seed(0)
model = Net().half()
master = Master(model)
first = [wide.clone() for wide in master.wide]
for step in range(8):
    x = torch.randn(64, 32).half()
    target = 3000 * x[:, :1].float()
    loss = F.mse_loss(model(x).float(), target)
    model.zero_grad()
    loss.backward()
    master.step(clipped([p.grad for p in model.parameters()], 50.0))
with torch.no_grad():
    probe = torch.randn(64, 32).half()
    error = F.mse_loss(model(probe).float(), 3000 * probe[:, :1].float()).item()


def harm():
    moved = sum((one - wide).abs().sum() for one, wide in zip(first, master.wide, strict=True)).item()
    return float(moved == 0)

# right:
#-     total = sum(grad.square().sum() for grad in grads).sqrt()
#+     total = sum(grad.float().square().sum() for grad in grads).sqrt()
