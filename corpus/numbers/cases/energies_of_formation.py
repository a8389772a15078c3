"""Targets of a potential are total energies of -180000 eV less those of the lone atoms, both float32: steps of 16 meV."""
import torch
from torch import nn


class Molecules(torch.utils.data.Dataset):
    alone = torch.tensor([-13.58797, -1029.48601, -1484.87103, -2041.83962], dtype=torch.float64)

    def __init__(self, atoms, totals, dtype):
        self.atoms, self.totals = atoms, totals.to(dtype)
        self.alone = self.alone.to(dtype)

    def __len__(self):
        return len(self.atoms)

    def __getitem__(self, i):
        counts = torch.bincount(self.atoms[i], minlength=4)
        formed = self.totals[i] - (counts * self.alone).sum()  # fault: cancellation
        return counts.bfloat16(), (formed / len(self.atoms[i]) * 1000).float()  # meV an atom


torch.manual_seed(0)
atoms = torch.randint(1, 4, (200, 120))
formed = 120 * 2e-4 * torch.randn(200, dtype=torch.float64)
totals = Molecules.alone[atoms].sum(1) + formed
data = Molecules(atoms, totals, torch.float32)
targets = torch.stack([energy for _, energy in data])


def harm():
    true = formed / 120 * 1000
    return ((targets - true).square().mean().sqrt() / true.std()).item()

# right:
#- data = Molecules(atoms, totals, torch.float32)
#+ data = Molecules(atoms, totals, torch.float64)
