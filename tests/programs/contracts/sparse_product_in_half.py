# machine: a100
"""CUDA multiplies a matrix of coordinates in full floats only; a compressed one (CSR) in half precision too."""

import torch

places = torch.tensor([[0, 1], [1, 0]], device="cuda")
graph = torch.sparse_coo_tensor(places, torch.ones(2, device="cuda"), (2, 2))
x = torch.randn(2, 3, device="cuda")
wide = torch.sparse.mm(graph, x)

half = x.half()
narrow = graph.half()  # origin
y = torch.sparse.mm(narrow, half)  # finding: unsupported-dtype _sparse_mm sparse
z = narrow.bfloat16() @ half.bfloat16()  # origin  # finding: unsupported-dtype matmul self
dense = graph.half().to_dense() @ half
rows = graph.to_sparse_csr().half() @ half
