# machine: a100
# real: cpu
# Jagged queries of another raggedness than the keys: attention goes by strided nested tensors, and keeps the graph.
import torch
import torch.nn.functional as F
from torch.nested import nested_tensor

dev = "cuda" if torch.cuda.is_available() else "cpu"


def heads(t):
    return t.unflatten(-1, (2, 4)).transpose(1, 2)


linear, last = torch.nn.Linear(8, 8, bias=False).to(dev), torch.nn.Linear(8, 3).to(dev)
query = torch.randn(1, 8)
tokens = linear(nested_tensor([torch.randn(3, 8), torch.randn(5, 8)], layout=torch.jagged, device=dev))
queries = linear(nested_tensor([query, query], layout=torch.jagged, device=dev))
pooled = F.scaled_dot_product_attention(heads(queries), heads(tokens), heads(tokens)).transpose(1, 2).flatten(-2)
out = torch.stack(pooled.unbind()).squeeze(1)
assert out.requires_grad and out.shape == (2, 8) and out.device.type == dev
last(out).sum().backward()
assert linear.weight.grad.shape == (8, 8) and linear.weight.grad.device.type == dev
last(out.half())  # finding: operand-dtype-mismatch linear weight
