"""Rewards are divided by the spread of returns from running sums in float16: the sum of squares is infinite."""
import torch


class RewardScaler:
    def __init__(self, gamma=0.99, dtype=torch.float16):
        self.gamma, self.ret = gamma, torch.zeros((), dtype=dtype)
        self.n, self.total, self.total_sq = 0, torch.zeros((), dtype=dtype), torch.zeros((), dtype=dtype)

    def __call__(self, reward):
        self.ret = self.ret * self.gamma + reward
        self.n += 1
        self.total += self.ret
        self.total_sq += self.ret**2  # fault: overflow
        var = self.total_sq / self.n - (self.total / self.n) ** 2
        return reward / (var.clamp(min=0).sqrt() + 1e-4)


torch.manual_seed(0)
dtype = torch.float16
scaler = RewardScaler(dtype=dtype)
rewards = torch.rand(400) + 0.5
scaled = torch.stack([scaler(r) for r in rewards.to(dtype)])


def harm():
    exact = RewardScaler(dtype=torch.float64)
    want = torch.stack([exact(r) for r in rewards.double()])
    return (scaled.double() - want).abs()[200:].mean().item() / want[200:].abs().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
