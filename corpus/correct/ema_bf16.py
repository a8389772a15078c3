# machine: a100
"""Train bfloat16 weights beside a float32 moving average, and evaluate with the average."""

import copy

import torch
import torch.nn as nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.model = copy.deepcopy(model).float().eval()
        self.model.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for average, current in zip(self.model.parameters(), model.parameters()):
            average.lerp_(current.float(), 1 - self.decay)
        for average, current in zip(self.model.buffers(), model.buffers()):
            average.copy_(current)


class Net(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.inp = nn.Linear(10, width)
        self.gate = nn.Linear(10, width)
        self.register_buffer("shift", torch.linspace(-1, 1, width))
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        hidden = torch.tanh(self.inp(x)) * torch.sigmoid(self.gate(x))
        return self.out(hidden + self.shift)


def sample(count, device, dtype):
    x = torch.randn(count, 10, device=device, dtype=dtype)
    y = x.sin().sum(dim=1, keepdim=True)
    return x, y


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net().to(device, dtype=torch.bfloat16)
    ema = EMA(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(4):
        x, y = sample(16, device, torch.bfloat16)
        loss = nn.functional.huber_loss(model(x).float(), y.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(model)
        print(f"step {step}: {loss.item():.3f}")
    with torch.no_grad():
        x, y = sample(16, device, torch.float32)
        print(f"average {nn.functional.l1_loss(ema.model(x), y).item():.3f}")


if __name__ == "__main__":
    main()
