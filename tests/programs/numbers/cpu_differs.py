# machine: cpu
# real: cpu
# On the CPU `where` makes the number infinite, and `clamp` raises; on CUDA it is the other way round.
import torch

scores = torch.randn(2, 2).half()
torch.where(scores > 0, scores, -1e9)  # finding: number-becomes-infinite where
# fixed: torch.where(scores > 0, scores, float("-inf"))
scores.clamp(min=-1e9)  # finding: number-out-of-range clamp self
# fixed: scores.clamp(min=-65504)
