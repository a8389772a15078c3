"""Temporal differences r + gamma v' - v of values near 300 in bfloat16: the errors are multiples of 1 or 2."""
import torch


@torch.no_grad()
def advantages(rewards, values, gamma=0.99, lam=0.95):
    deltas = rewards + gamma * values[1:] - values[:-1]  # fault: cancellation
    gae, out = torch.zeros((), dtype=torch.float32), []
    for delta in deltas.float().flip(0):
        gae = delta + gamma * lam * gae
        out.append(gae)
    return torch.stack(out).flip(0)


torch.manual_seed(0)
values = 300 + torch.randn(65).cumsum(0) * 0.1
rewards = values[:-1] - 0.99 * values[1:] + torch.randn(64) * 0.2
found = advantages(rewards.bfloat16(), values.bfloat16())


def harm():
    exact = advantages(rewards.double(), values.double())
    return ((found - exact).norm() / exact.norm()).item()

# right:
#- found = advantages(rewards.bfloat16(), values.bfloat16())
#+ found = advantages(rewards, values)
