# machine: t4
# The scores are float16 only under autocast.
import torch

query = torch.randn(4, 8, device="cuda")
mask = torch.zeros(4, 4, dtype=torch.bool, device="cuda")
scores = query @ query.T
scores.masked_fill(mask, -1e9).softmax(-1)
with torch.autocast("cuda", dtype=torch.float16):
    scores = query @ query.T  # origin
    scores.masked_fill(mask, -1e9).softmax(-1)  # finding: number-out-of-range masked_fill self
    # fixed:     scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(-1)
