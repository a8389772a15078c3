# machine: v100
# Before Ampere the memory-efficient attention takes no bfloat16: it is made by its parts, which add a float32 mask.
import torch
import torch.nn.functional as F

q = torch.randn(1, 2, 4, 8, device="cuda", dtype=torch.bfloat16)  # finding: dtype-not-on-machine torch.randn
mask = torch.zeros(1, 1, 4, 4, device="cuda")
assert F.scaled_dot_product_attention(q, q, q, attn_mask=mask).dtype is torch.bfloat16
half = q.half()
F.scaled_dot_product_attention(half, half, half, attn_mask=mask)  # finding: operand-dtype-mismatch scaled_dot_product_attention attn_mask
F.scaled_dot_product_attention(q, q, q, attn_mask=mask.double())  # finding: operand-dtype-mismatch scaled_dot_product_attention attn_mask
