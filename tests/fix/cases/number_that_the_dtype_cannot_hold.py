# machine: v100
import torch

scores = torch.randn(2, 4, device="cuda").half()
scores = scores.masked_fill(torch.ones_like(scores).bool(), -1e9)

# fixed:
#- scores = scores.masked_fill(torch.ones_like(scores).bool(), -1e9)
#+ scores = scores.masked_fill(torch.ones_like(scores).bool(), torch.finfo(scores.dtype).min)
