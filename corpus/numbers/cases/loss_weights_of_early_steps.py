"""Loss weights of a noise schedule: alpha_bar rounds to 1 at the first steps, whose bounded variance outweighs all others."""
import torch
from torch import nn
from torch.nn import functional as F


class Schedule:
    def __init__(self, steps, dtype):
        betas = torch.linspace(1e-4, 0.02, steps).to(dtype)
        alphas = 1.0 - betas
        self.alpha_bar = torch.cumprod(alphas, 0)  # fault: cancellation

    def weights(self):
        alpha_bar = self.alpha_bar.float()
        return alpha_bar / (1 - alpha_bar).clamp_min(1e-12)

    def noisy(self, x, noise, t):
        a = self.alpha_bar.float()[t][:, None]
        return a.sqrt() * x + (1 - a).sqrt() * noise


torch.manual_seed(0)
net = nn.Linear(16, 16)
schedule = Schedule(1000, torch.float16)
weights = schedule.weights()
x, noise, t = torch.randn(64, 16), torch.randn(64, 16), torch.arange(64) * 15
each = F.mse_loss(net(schedule.noisy(x, noise, t)), noise, reduction="none").mean(1)
loss = (weights[t] * each).mean()


def harm():
    exact = Schedule(1000, torch.float64).alpha_bar
    return abs(weights.double().sum() / (exact / (1 - exact)).sum() - 1).item()

# right:
#- schedule = Schedule(1000, torch.float16)
#+ schedule = Schedule(1000, torch.float32)
