"""EDM's preconditioning squares sigmas of up to 500 in float16: sigma ** 2 is infinite, the output of the network lost."""
import torch
from torch import nn


class Precond(nn.Module):
    def __init__(self, net, sigma_data=0.5):
        super().__init__()
        self.net, self.sigma_data = net, sigma_data

    def forward(self, x, sigma):
        sigma = sigma.to(x.dtype).view(-1, 1)
        total = sigma**2 + self.sigma_data**2  # fault: overflow
        c_skip = self.sigma_data**2 / total
        c_out = sigma * self.sigma_data / total.sqrt()
        c_in = 1 / total.sqrt()
        return c_skip * x + c_out * self.net(c_in * x)


torch.manual_seed(0)
model = Precond(nn.Linear(16, 16)).requires_grad_(False)
sigma = torch.tensor([500.0, 300.0, 80.0])
x = torch.randn(3, 16) * sigma[:, None]
exact = model(x, sigma)
dtype = torch.float16
out = model.to(dtype)(x.to(dtype), sigma)


def harm():
    return ((out.double() - exact).norm() / exact.double().norm()).item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
