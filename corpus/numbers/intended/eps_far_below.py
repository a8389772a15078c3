"""An eps that only guards against zero: nothing is added to norms that are not zero."""
import torch

torch.manual_seed(0)
rows = torch.randn(6, 32)
rows[2] = 0
unit = rows / (rows.norm(dim=-1, keepdim=True) + 1e-8)
halves = torch.randn(6, 32).bfloat16()
unit_halves = halves / (halves.norm(dim=-1, keepdim=True) + 1e-6)
inverse = torch.rsqrt(torch.rand(8) + 1 + 1e-12)
