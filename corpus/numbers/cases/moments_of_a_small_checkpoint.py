"""A checkpoint stores the optimizer's moments in bfloat16 and training goes on with them: 0.999 of a moment is itself."""
import torch
from torch import nn
from torch.nn import functional as F


class Adam:
    def __init__(self, parameters, lr):
        self.parameters, self.lr, self.t = list(parameters), lr, 0
        self.first = [torch.zeros_like(p) for p in self.parameters]
        self.second = [torch.zeros_like(p) for p in self.parameters]

    def state(self):
        return {"t": self.t, "first": self.first, "second": self.second}

    def load(self, state):
        self.t = state["t"]
        self.first = [one.clone() for one in state["first"]]
        self.second = [one.clone() for one in state["second"]]

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, first, second in zip(self.parameters, self.first, self.second, strict=True):
            first.mul_(0.9).add_(p.grad, alpha=0.1)
            second.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)  # fault: state-in-half
            fair = (second / (1 - 0.999**self.t)).sqrt() + 1e-8
            p.sub_(self.lr * first / (1 - 0.9**self.t) / fair)


def train(model, optimizer, steps, size):
    for _ in range(steps):
        x = torch.randn(32, 16) * size
        loss = F.mse_loss(model(x), x[:, :4])
        model.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4))
optimizer = Adam(model.parameters(), 1e-3)
train(model, optimizer, 20, 1.0)
saved = {
    name: [one.to(torch.bfloat16) for one in value] if isinstance(value, list) else value
    for name, value in optimizer.state().items()
}
resumed = Adam(model.parameters(), 1e-3)
resumed.load(saved)
before = sum(one.float().sum() for one in resumed.second).item()
train(model, resumed, 30, 0.01)


def harm():
    after = sum(one.float().sum() for one in resumed.second).item()
    return abs(after / before - 0.999**30) / (1 - 0.999**30)

# right:
#-         self.first = [one.clone() for one in state["first"]]
#-         self.second = [one.clone() for one in state["second"]]
#+         self.first = [one.float() for one in state["first"]]
#+         self.second = [one.float() for one in state["second"]]
