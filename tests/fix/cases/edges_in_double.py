# machine: a100
import numpy as np
import torch

degree = np.array([1, 2, 1])
rows = np.array([0, 1, 1, 2])
values = 1.0 / np.sqrt(degree[rows])
indices = torch.from_numpy(np.stack((rows, np.array([1, 0, 2, 1]))))
edges = torch.sparse_coo_tensor(indices, torch.from_numpy(values), (3, 3)).to("cuda")
weight = torch.nn.Parameter(torch.randn(8, 4, device="cuda"))
out = torch.sparse.mm(edges, torch.randn(3, 8, device="cuda") @ weight)
# fixed:
#- out = torch.sparse.mm(edges, torch.randn(3, 8, device="cuda") @ weight)
#+ out = torch.sparse.mm(edges.to(weight.dtype), torch.randn(3, 8, device="cuda") @ weight)
