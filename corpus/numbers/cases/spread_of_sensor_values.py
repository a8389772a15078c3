"""Running sums give the spread of readings far from zero, for a network's input: in float32 the difference is rounding."""
import torch
from torch import nn
from torch.nn import functional as F


class Scaler:
    def __init__(self, width):
        self.count = 0
        self.total = torch.zeros(width)
        self.squares = torch.zeros(width)

    def partial_fit(self, x):
        self.count += len(x)
        self.total += x.sum(0)
        self.squares += x.square().sum(0)

    def transform(self, x):
        mean = self.total / self.count
        variance = self.squares / self.count - mean.square()  # fault: cancellation
        return (x - mean) / variance.clamp(min=1e-6).sqrt()


def readings(count):
    generator = torch.Generator().manual_seed(11)
    for _ in range(count):
        drift = torch.randn(64, 3, generator=generator)
        pressure = 101_325 + 4 * drift
        yield pressure, drift.sum(1, keepdim=True)


torch.manual_seed(0)
scaler = Scaler(3)
for pressure, _ in readings(20):
    scaler.partial_fit(pressure)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for pressure, wanted in readings(20):
    loss = F.mse_loss(model(scaler.transform(pressure)), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    pressure, wanted = next(readings(1))
    scaled = scaler.transform(pressure)
    error = F.mse_loss(model(scaled), wanted).item()


def harm():
    return abs(scaled.std().item() - 1)

# right:
#-         self.count = 0
#+         self.count, self.origin = 0, 101_325.0
#-         self.count += len(x)
#+         self.count, x = self.count + len(x), x - self.origin
#-         return (x - mean) / variance.clamp(min=1e-6).sqrt()
#+         return (x - self.origin - mean) / variance.clamp(min=1e-6).sqrt()
