# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
cache = torch.zeros(4, 8, device=dev, dtype=torch.float16)
rows = torch.tensor([0, 2], device=dev)
new = torch.ones(2, 8, device=dev)
# fixed: new = torch.ones(2, 8, device=dev, dtype=cache.dtype)
cache[:2] = new
cache[rows] = new  # finding: operand-dtype-mismatch index_put_ values
