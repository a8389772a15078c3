"""A particle filter takes exp of log-weights near -300 in float32: all weights are 0, their shares NaN."""
import torch


class ParticleFilter:
    def __init__(self, n):
        self.x = torch.randn(n, 2)
        self.logw = torch.zeros(n)

    def update(self, z, noise=0.05):
        self.logw = self.logw - 0.5 * ((self.x - z) / noise).pow(2).sum(-1)

    def normalized(self):
        w = torch.exp(self.logw)
        return w / w.sum()  # fault: underflow


torch.manual_seed(0)
pf = ParticleFilter(100)
pf.update(torch.tensor([4.0, 4.0]))
shares = pf.normalized()
estimate = (shares[:, None] * pf.x).sum(0)


def harm():
    return (~estimate.isfinite()).float().mean().item()

# right:
#-         w = torch.exp(self.logw)
#+         w = torch.exp(self.logw - self.logw.max())
