# machine: a100
# real: cpu
import torch
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
q = k = v = torch.randn(1, 2, 6, 8, device=dev, dtype=torch.bfloat16)
mask = torch.full((6, 6), float("-inf"), device=dev).triu(1)
# fixed: mask = torch.full((6, 6), float("-inf"), device=dev, dtype=q.dtype).triu(1)
F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # finding: operand-dtype-mismatch scaled_dot_product_attention attn_mask
F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(6, 6, device=dev, dtype=torch.bool).tril())
