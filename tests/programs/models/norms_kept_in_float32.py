# machine: a100
# real: cpu
# The norms of queries and keys in float32, in a bfloat16 model: the library casts back to the dtype of their weights.
import torch
from diffusers.models.normalization import RMSNorm
from torch.nn import functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
norm = RMSNorm(8, eps=1e-6).to(dev, torch.bfloat16)
norm.to(torch.float32)  # origin
# fixed: norm.to(torch.bfloat16)
x = torch.randn(1, 2, 4, 8, device=dev, dtype=torch.bfloat16)
F.scaled_dot_product_attention(norm(x), norm(x), x)  # origin  # finding: operand-dtype-mismatch scaled_dot_product_attention query
