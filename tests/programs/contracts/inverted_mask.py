# machine: v100
# real: cpu
# `~` refuses floats before it calls an op.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
scores = torch.randn(2, 4, device=dev)
mask = torch.ones(2, 4, device=dev)  # origin
# fixed: mask = torch.ones(2, 4, device=dev, dtype=torch.bool)
ids = torch.ones(2, 4, dtype=torch.int64, device=dev)
print(~ids, ~(ids > 0))
print(scores.masked_fill(~mask, 0.0))  # finding: operand-dtype-not-accepted bitwise_not self
