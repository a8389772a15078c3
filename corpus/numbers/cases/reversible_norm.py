"""RevIN subtracts each series' own mean and adds it back at the end: its statistics are in the model's bfloat16."""
import torch
from torch import nn


class RevIN(nn.Module):
    def normalise(self, x):
        spread, mean = torch.std_mean(x, dim=1, keepdim=True)  # fault: statistics-in-half
        self.mean, self.spread = mean, spread + 1e-5
        return ((x - self.mean) / self.spread).bfloat16()

    def restore(self, y):
        return y.float() * self.spread + self.mean


torch.manual_seed(0)
series = 731 + 40 * torch.rand(16, 1, 3) + 3 * torch.randn(16, 96, 3)
series = series.bfloat16()
norm, head = RevIN(), nn.Linear(96, 24).bfloat16()
nn.init.constant_(head.weight, 1 / 96)
nn.init.zeros_(head.bias)
inputs = norm.normalise(series)
with torch.no_grad():
    forecast = norm.restore(head(inputs.transpose(1, 2)).transpose(1, 2))


def harm():
    shift = inputs.double().mean(1)
    return shift.abs().mean().item()

# right:
#-         spread, mean = torch.std_mean(x, dim=1, keepdim=True)
#+         spread, mean = torch.std_mean(x.float(), dim=1, keepdim=True)
