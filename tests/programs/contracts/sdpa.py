# machine: a100
# real: cpu
import torch
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
q = torch.randn(1, 2, 6, 8, device=dev, dtype=torch.float16)
k, v = (torch.randn(1, 2, 6, 8, device=dev) for _ in range(2))
# fixed: k, v = (torch.randn(1, 2, 6, 8, device=dev, dtype=q.dtype) for _ in range(2))
out = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # finding: operand-dtype-mismatch scaled_dot_product_attention key
