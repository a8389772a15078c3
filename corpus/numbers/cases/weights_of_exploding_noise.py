"""A variance exploding diffusion weighs its loss by sigma ** 2, and float16 has no 348 ** 2; all weights become 0 or NaN."""
import torch
import torch.nn.functional as F


class ExplodingNoise:
    def __init__(self, low=0.01, high=348.0):
        self.low, self.high = low, high

    def sigma(self, t):
        return self.low * (self.high / self.low) ** t

    def weights(self, sigma):
        weight = sigma**2  # fault: overflow
        return weight / weight.sum()


torch.manual_seed(0)
noise = ExplodingNoise()
x = torch.randn(32, 3, 8, 8).half()
sigma = noise.sigma(torch.linspace(0, 1, 32)).to(x.dtype)
score = -torch.randn_like(x) / sigma.view(-1, 1, 1, 1).clamp_min(1e-2)
error = F.mse_loss(score.float(), torch.zeros(32, 3, 8, 8), reduction="none").mean((1, 2, 3))
loss = (noise.weights(sigma).float() * error).sum()


def harm():
    return float(not loss.isfinite())

# right:
#-     def weights(self, sigma):
#+     def weights(self, sigma):
#+         sigma = sigma.float()
