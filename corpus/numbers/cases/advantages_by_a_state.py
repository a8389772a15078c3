"""Advantages are summed backwards with a factor, and the running one is cast to bfloat16 at each step."""
import torch

torch.manual_seed(0)
reward, gamma = 1 + 0.1 * torch.randn(900), 0.998


def advantages(reward, dtype):
    last, found = torch.zeros((), dtype=dtype), []
    for one in reward.flip(0):
        last = (one + gamma * last).to(dtype)  # fault: accumulate-in-half
        found.append(last)
    return torch.stack(found[::-1])


advantage = advantages(reward, torch.bfloat16)
scaled = (advantage - advantage.mean()) / advantage.std()


def harm():
    exact = advantages(reward.double(), torch.float64)
    return ((advantage - exact).abs().mean() / exact.abs().mean()).item()

# right:
#- advantage = advantages(reward, torch.bfloat16)
#+ advantage = advantages(reward, torch.float32)
