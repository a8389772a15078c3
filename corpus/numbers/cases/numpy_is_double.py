"""Statistics from NumPy are float64: everything behind the normalisation is float64."""
import numpy as np
import torch

torch.manual_seed(0)
pixels = torch.rand(4, 3, 16, 16)
mean = torch.from_numpy(np.array([0.48, 0.46, 0.41])).view(3, 1, 1)
normal = pixels - mean  # fault: widening
edges = normal[..., 1:] - normal[..., :-1]


def harm():
    return float(edges.element_size() == 8)

# right:
#- mean = torch.from_numpy(np.array([0.48, 0.46, 0.41])).view(3, 1, 1)
#+ mean = torch.from_numpy(np.array([0.48, 0.46, 0.41], dtype=np.float32)).view(3, 1, 1)
