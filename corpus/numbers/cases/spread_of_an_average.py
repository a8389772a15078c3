"""A reward normaliser follows the mean of rewards and of their squares, and takes its spread from both, near 3000."""
import torch


class Normaliser:
    def __init__(self, rate=0.01):
        self.rate, self.mean, self.square = rate, None, None

    def __call__(self, reward):
        if self.mean is None:
            self.mean, self.square = reward.mean(), reward.square().mean()
        self.mean = torch.lerp(self.mean, reward.mean(), self.rate)
        self.square = torch.lerp(self.square, reward.square().mean(), self.rate)
        variance = self.square - self.mean.square()  # fault: cancellation
        return (reward - self.mean) * torch.rsqrt(variance.clamp_min(1e-8))


torch.manual_seed(0)
normaliser = Normaliser()
offset = 3000.0
for _ in range(50):
    reward = offset + 0.2 * torch.randn(64)
    scaled = normaliser(reward)


def harm():
    return abs(scaled.std().item() - 1)

# right:
#- offset = 3000.0
#+ offset = 0.0
