"""Lennard-Jones energies of atoms in metres: r ** 12 of 4e-10 is 1e-113, and float32 ends at 1e-45."""
import torch


class LennardJones:
    def __init__(self, depth=1.65e-21, sigma=3.4e-10, scale=1.65e-21):
        self.depth, self.sigma, self.scale = depth, sigma, scale

    def energy(self, places):
        i, j = torch.triu_indices(len(places), len(places), 1)
        r = (places[i] - places[j]).norm(dim=-1)
        pair = self.sigma**12 / r**12 - self.sigma**6 / r**6  # fault: underflow
        return 4 * self.depth / self.scale * pair.sum()


torch.manual_seed(0)
grid = torch.stack(torch.meshgrid(*[torch.arange(4.0)] * 3, indexing="ij"), -1).view(-1, 3)
places = (grid + 0.05 * torch.randn(64, 3)) * 3.9e-10
places.requires_grad_()
energy = LennardJones().energy(places)
(force,) = torch.autograd.grad(energy, places)


def harm():
    exact = LennardJones().energy(places.detach().double())
    if not (energy.isfinite() and force.isfinite().all()):
        return 1.0
    return abs(energy.item() / exact.item() - 1)

# right:
#-         pair = self.sigma**12 / r**12 - self.sigma**6 / r**6
#+         pair = (self.sigma / r) ** 12 - (self.sigma / r) ** 6
