# machine: v100
# real: cpu
"""A sparse matrix takes a dense one of its own dtype only; the gradient goes through the product."""

import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
places = torch.tensor([[0, 1], [1, 0]], device=dev)
weights = torch.tensor([0.5, 0.5], dtype=torch.float64, device=dev)
# fixed: weights = torch.tensor([0.5, 0.5], dtype=torch.float32, device=dev)
graph = torch.sparse_coo_tensor(places, weights, (2, 2)).coalesce()  # origin
x = torch.randn(2, 3, device=dev, requires_grad=True)
y = torch.sparse.mm(graph, x)  # finding: operand-dtype-mismatch _sparse_mm sparse
y.sum().backward()
