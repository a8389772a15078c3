"""Mean and spread of rewards by Welford's way, whose count is a float16 number: it ends at 2048."""
import torch


class Running:
    def __init__(self, dtype):
        self.mean = torch.zeros((), dtype=torch.float32)
        self.square = torch.zeros((), dtype=torch.float32)
        self.count = torch.zeros((), dtype=dtype)

    def update(self, rewards):
        many = rewards.numel()
        delta = rewards.mean() - self.mean
        total = self.count + many  # fault: rounding-of-integers
        self.mean = self.mean + delta * many / total
        self.square = self.square + rewards.var() * many + delta * delta * self.count * many / total
        self.count = total

    @property
    def spread(self):
        return (self.square / self.count).sqrt()


torch.manual_seed(0)
running = Running(torch.float16)
for _ in range(500):
    running.update(torch.randn(5))


def harm():
    return abs(running.count.item() / 2500 - 1)

# right:
#- running = Running(torch.float16)
#+ running = Running(torch.float32)
