"""The variance of a Gaussian process near its data is 1 less a quadratic form that is nearly 1, in float32: below zero."""
import torch


class Posterior:
    def __init__(self, x, noise=1e-6, scale=0.4):
        self.x, self.scale = x, scale
        k = self.kernel(x, x) + noise * torch.eye(len(x), dtype=x.dtype)
        self.factor = torch.linalg.cholesky(k)

    def kernel(self, a, b):
        return torch.exp(-(a[:, None] - b).square() / (2 * self.scale**2))

    def variance(self, at):
        v = torch.linalg.solve_triangular(self.factor, self.kernel(self.x, at), upper=False)
        return 1.0 - v.square().sum(0)  # fault: cancellation


torch.manual_seed(0)
x = torch.linspace(0, 4, 60)
at = torch.linspace(0.5, 3.5, 200)
posterior = Posterior(x)
spread = posterior.variance(at.to(posterior.x.dtype)).clamp_min(1e-10).sqrt()


def harm():
    exact = Posterior(x.double()).variance(at.double()).sqrt()
    return (spread / exact - 1).abs().max().item()

# right:
#- posterior = Posterior(x)
#+ posterior = Posterior(x.double())
