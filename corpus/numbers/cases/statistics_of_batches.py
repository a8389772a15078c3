"""Running statistics in float16 follow the batches by a thousandth each: they do not come to them."""
import torch
import torch.nn.functional as F


class Normalised:
    def __init__(self, channels):
        self.mean = torch.full((channels,), 4.0, dtype=torch.float16)
        self.var = torch.ones(channels, dtype=torch.float16)

    def __call__(self, x):
        mean, var = x.float().mean((0, 2)), x.float().var((0, 2))
        self.mean.copy_(0.9995 * self.mean + 0.0005 * mean.to(self.mean.dtype))  # fault: statistics-in-half
        self.var.copy_(0.9995 * self.var + 0.0005 * var.to(self.var.dtype))
        return F.batch_norm(x.float(), mean, var, training=False)


torch.manual_seed(0)
norm = Normalised(6)
for _ in range(60):
    norm(torch.randn(4, 6, 10) + 3.5)


def harm():
    way = (4.0 - norm.mean.float().mean().item()) / 0.5
    return abs(way - (1 - 0.9995 ** 60)) * 10

# right:
#-         self.mean = torch.full((channels,), 4.0, dtype=torch.float16)
#-         self.var = torch.ones(channels, dtype=torch.float16)
#+         self.mean = torch.full((channels,), 4.0)
#+         self.var = torch.ones(channels)
