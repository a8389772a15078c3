# machine: a100
# real: cpu
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune, vector_to_parameters, parameters_to_vector

dev = "cuda" if torch.cuda.is_available() else "cpu"
layer = parametrizations.weight_norm(nn.Linear(4, 4)).to(dev)
ortho = parametrizations.orthogonal(nn.Linear(4, 4).to(dev))


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T


sym = nn.Linear(4, 4).to(dev)
parametrize.register_parametrization(sym, "weight", Symmetric())
x = torch.randn(2, 4, device=dev)
(layer(x) + ortho(x) + sym(x)).sum().backward()
plain = nn.Linear(4, 4).to(dev)
prune.l1_unstructured(plain, "weight", amount=0.5)
plain(x).sum().backward()
flat = parameters_to_vector(plain.parameters())
vector_to_parameters(flat * 0.9, plain.parameters())
