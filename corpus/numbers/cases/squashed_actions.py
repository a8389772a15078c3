"""SAC's log-probability of a squashed action, log(1 - tanh^2 + 1e-6), in bfloat16: saturated actions cost 1e-6's log."""
import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.mean, self.log_std = nn.Linear(obs, act), nn.Linear(obs, act)

    def forward(self, obs, noise):
        mean, log_std = self.mean(obs), self.log_std(obs).clamp(-5, 2)
        raw = mean + log_std.exp() * noise
        action = torch.tanh(raw)
        logp = -0.5 * noise.pow(2) - log_std - 0.9189
        logp = logp - torch.log(1 - action.pow(2) + 1e-6)  # fault: cancellation
        return action, logp.sum(-1)


torch.manual_seed(0)
actor = Actor(8, 4).requires_grad_(False)
actor.mean.bias += 3.0
obs, noise = torch.randn(64, 8), torch.randn(64, 4)
exact = actor.double()(obs.double(), noise.double())[1]
dtype = torch.bfloat16
action, logp = actor.to(dtype)(obs.to(dtype), noise.to(dtype))


def harm():
    return ((logp.double() - exact).abs().mean() / exact.abs().mean()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
