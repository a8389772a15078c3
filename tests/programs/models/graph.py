# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(6, 8, device=dev)
edges = torch.tensor([[0, 1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, 0, 3]], device=dev)
linear = nn.Linear(8, 8).to(dev)
source, target = edges
message = linear(x)[source]
out = torch.zeros(6, 8, device=dev).scatter_add_(0, target[:, None].expand_as(message), message)
degree = torch.zeros(6, device=dev).scatter_add_(0, target, torch.ones_like(target, dtype=torch.float))
out = out / degree.clamp(min=1)[:, None]
out = torch.zeros_like(out).index_reduce_(0, target, message, "amax", include_self=False) + out
adjacency = torch.sparse_coo_tensor(edges, torch.ones(7, device=dev), (6, 6)).to_dense()
(adjacency @ out).sum().backward()
print(torch.cdist(x, x).argmin(1).shape, x.unsqueeze(0).segment if False else degree.max().item())
