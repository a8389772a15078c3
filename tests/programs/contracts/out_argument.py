# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
a, b = torch.randn(4, 4, device=dev), torch.randn(4, 4, device=dev)
buffer = torch.empty(4, 4, device=dev)
torch.add(a, b, out=buffer)
torch.mm(a, b, out=buffer)
torch.matmul(a, b, out=buffer)
index = torch.empty(4, 4, dtype=torch.long, device=dev)
# fixed: index = torch.empty(4, 4, device=dev)
torch.mul(a, b, out=index)  # finding: operand-dtype-not-accepted mul out
