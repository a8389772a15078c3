# machine: cpu
# real: cpu
import torch

ids = torch.tensor([1, 2], dtype=torch.uint32)
offsets = torch.tensor([1, 2])
shifted = offsets + ids  # finding: operand-dtype-mismatch add other
# fixed: shifted = offsets + ids.to(torch.int64)
weight = torch.randn(64, 32).to(torch.float8_e4m3fn)
rows = torch.nn.functional.embedding(offsets, weight).to(torch.bfloat16)
assert torch.cat([weight, weight]).dtype is torch.float8_e4m3fn
