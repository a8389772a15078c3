# machine: v100
import torch

i = torch.tensor([[0, 1], [1, 0]])
s = torch.sparse_coo_tensor(i, torch.ones(2), (3, 3))
dense = s.to_dense()
torch.sparse.mm(s, torch.ones(3, 2))
csr = torch.eye(3).to_sparse_csr()
csr @ torch.ones(3, 1)
q = torch.quantize_per_tensor(torch.randn(2, 2), 0.1, 0, torch.quint8)
q.dequantize()
n = torch.nested.nested_tensor([torch.randn(2, 4), torch.randn(3, 4)])
n.to_padded_tensor(0.0)
e = torch.nn.Embedding(10, 4, sparse=True)
e(torch.tensor([1, 2])).sum().backward()
torch.optim.SparseAdam(e.parameters()).step()
