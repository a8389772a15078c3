# machine: a100
# real: cpu
# A preallocated cache in the wrong dtype.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
k_cache = torch.zeros(1, 2, 16, 8, device=dev)  # origin
# fixed: k_cache = torch.zeros(1, 2, 16, 8, device=dev, dtype=torch.bfloat16)
position = torch.tensor([3, 4], device=dev)
k = torch.randn(1, 2, 2, 8, device=dev, dtype=torch.bfloat16)
k_cache[:, :, :2] = k
k_cache.index_copy_(2, position, k)  # finding: operand-dtype-mismatch index_copy_ self
