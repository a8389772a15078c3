"""Voxels of a scan are int16, their squares for the energy too: 300 squared wraps."""
import torch


class Energy:
    def __call__(self, scan):
        return scan.pow(2).double().mean()  # fault: wrap


torch.manual_seed(0)
scan = torch.randint(-1000, 2000, (4, 8, 8)).to(torch.int16)
energy = Energy()(scan)


def harm():
    exact = scan.double().pow(2).mean().item()
    return abs(energy.item() / exact - 1)

# right:
#-         return scan.pow(2).double().mean()
#+         return scan.double().pow(2).mean()
