"""The outputs of the atoms of a graph are added up one by one in float16: the sum stops growing."""
import torch
from torch import nn


def mean_pool(values, batch, graphs):
    total = torch.zeros(graphs, dtype=values.dtype, device=values.device)
    total.index_add_(0, batch, values)  # fault: accumulate-in-half
    atoms = torch.bincount(batch, minlength=graphs).clamp(min=1)
    return total.float() / atoms


torch.manual_seed(0)
head = nn.Linear(16, 1)
with torch.no_grad():
    head.bias.fill_(1.0)
atoms = torch.tensor([40, 900, 6000, 12000])
batch = torch.repeat_interleave(torch.arange(4), atoms)
with torch.no_grad(), torch.autocast("cpu", dtype=torch.float16):
    energies = head(torch.randn(len(batch), 16)).squeeze(-1)
pooled = mean_pool(energies, batch, 4)


def harm():
    right = torch.stack([part.double().mean() for part in energies.split(atoms.tolist())])
    error = ((pooled.double() - right).abs() / right).max().item()
    return float(error)

# right:
#-     total = torch.zeros(graphs, dtype=values.dtype, device=values.device)
#-     total.index_add_(0, batch, values)
#+     total = torch.zeros(graphs, device=values.device)
#+     total.index_add_(0, batch, values.float())
#-     return total.float() / atoms
#+     return total / atoms
