# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
scores = torch.randn(2, 4, 4, device=dev)
mask = torch.tril(torch.ones(4, 4, device=dev))
# fixed: mask = torch.tril(torch.ones(4, 4, device=dev, dtype=torch.bool))
print(scores.masked_fill(mask == 0, float("-inf")).softmax(-1).shape)
scores.masked_fill(mask, 0.0)  # finding: operand-dtype-not-accepted masked_fill mask
