# machine: a100
# Flash attention alone has no kernel for float32; memory-efficient attention has one.
import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

half = torch.randn(1, 2, 4, 8, device="cuda", dtype=torch.bfloat16)
full = torch.randn(1, 2, 4, 8, device="cuda")  # origin
# fixed: full = half
F.scaled_dot_product_attention(full, full, full)
with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION]):
    F.scaled_dot_product_attention(full, full, full)
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    F.scaled_dot_product_attention(half, half, half)
    F.scaled_dot_product_attention(full, full, full)  # finding: unsupported-dtype scaled_dot_product_attention query
F.scaled_dot_product_attention(full, full, full)
