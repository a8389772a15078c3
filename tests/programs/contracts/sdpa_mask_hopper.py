# machine: h100
# From Hopper on cuDNN's attention goes first, and takes a float32 mask beside bfloat16; float64 it refuses like all.
import torch
import torch.nn.functional as F

q = k = v = torch.randn(2, 8, 128, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
mask = torch.full((128, 128), float("-inf"), device="cuda").triu(1)
F.scaled_dot_product_attention(q, k, v, attn_mask=mask).float().sum().backward()
F.scaled_dot_product_attention(q, k, v, attn_mask=mask.double())  # finding: operand-dtype-mismatch scaled_dot_product_attention attn_mask
