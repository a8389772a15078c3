"""Sigmas of a schedule are float64, as numpy makes them, and widen a picture of the sampler to float64."""
import numpy as np
import torch


class Schedule:
    def __init__(self, steps, rho=7.0):
        ramp = np.linspace(0, 1, steps)
        low, high = 0.03 ** (1 / rho), 14.6 ** (1 / rho)
        self.sigmas = torch.from_numpy((high + ramp * (low - high)) ** rho)

    def noised(self, x, index):
        sigma = self.sigmas[index].view(-1, 1, 1, 1)
        return x + sigma * torch.randn_like(x)  # fault: widening


torch.manual_seed(0)
schedule = Schedule(20)
picture = schedule.noised(torch.randn(4, 3, 8, 8), torch.arange(4))


def harm():
    return picture.element_size() / 4 - 1

# right:
#-         self.sigmas = torch.from_numpy((high + ramp * (low - high)) ** rho)
#+         self.sigmas = torch.from_numpy((high + ramp * (low - high)) ** rho).float()
