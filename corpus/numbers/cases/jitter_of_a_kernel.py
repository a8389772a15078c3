"""A Gaussian process adds a jitter of 1e-8 to a float32 kernel whose diagonal is 1: nothing is added, and its factor is wrong."""
import torch


class Process:
    def __init__(self, x, y, scale=0.5):
        self.x, self.scale = x, scale
        k = self.kernel(x, x)
        k.diagonal().add_(1e-8)  # fault: eps-vanishes
        factor, info = torch.linalg.cholesky_ex(k)
        self.alpha = torch.cholesky_solve(y[:, None], factor)

    def kernel(self, a, b):
        return torch.exp(-(a[:, None] - b).square() / (2 * self.scale**2))

    def mean(self, at):
        return (self.kernel(at, self.x) @ self.alpha)[:, 0]


torch.manual_seed(0)
x = torch.linspace(-2, 2, 40)
process = Process(x, torch.sin(2 * x))
at = torch.linspace(-1.9, 1.9, 101)
found = process.mean(at)


def harm():
    return min(1.0, (found - torch.sin(2 * at)).abs().max().nan_to_num(1.0).item())

# right:
#-         k.diagonal().add_(1e-8)
#+         k.diagonal().add_(1e-4)
