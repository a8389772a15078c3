"""A planner makes its 500 noise levels by linspace in bfloat16 and shifts them: the sizes of steps are 0 or double."""
import torch


class Planner:
    def __init__(self, count, shift, dtype):
        levels = torch.linspace(1.0, 0.002, count, dtype=dtype)
        self.levels = shift * levels / (1 + (shift - 1) * levels)

    def steps(self):
        return self.levels[:-1] - self.levels[1:]  # fault: cancellation


def sample(x, planner):
    for size in planner.steps():
        x = x - size.float() * x * 0.3
    return x


torch.manual_seed(0)
planner = Planner(500, 5.0, torch.bfloat16)
x = sample(torch.randn(2, 8), planner)


def harm():
    levels = torch.linspace(1.0, 0.002, 500, dtype=torch.float64)
    levels = 5 * levels / (1 + 4 * levels)
    exact = levels[:-1] - levels[1:]
    return ((planner.steps().double() - exact).norm() / exact.norm()).item()

# right:
#- planner = Planner(500, 5.0, torch.bfloat16)
#+ planner = Planner(500, 5.0, torch.float32)
