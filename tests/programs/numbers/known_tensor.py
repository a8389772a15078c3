# machine: cpu
# real: cpu
# The fill value is a tensor of one number, whose value is read.
import torch

scores = torch.randn(2, 2).half()  # origin
lowest = torch.tensor(-1e9)
scores.fill_(lowest)
torch.where(scores > 0, scores, torch.tensor(1.0))
scores.masked_fill(scores > 0, lowest)  # finding: number-out-of-range masked_fill self
# fixed: scores.masked_fill(scores > 0, lowest.clamp(min=torch.finfo(scores.dtype).min))
