# machine: a100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
q = torch.randn(2, 5, 4, 8, device=dev, dtype=torch.float16)
k = torch.randn(2, 5, 4, 8, device=dev)
# fixed: k = torch.randn(2, 5, 4, 8, device=dev, dtype=q.dtype)
attn = torch.einsum("bihd,bjhd->bhij", q, k)  # finding: operand-dtype-mismatch einsum mat2
print(attn.softmax(-1).shape)
