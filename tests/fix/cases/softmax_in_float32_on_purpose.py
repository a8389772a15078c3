# machine: v100
import torch

q = torch.randn(2, 4, 8, device="cuda").half()
v = torch.randn(2, 4, 8, device="cuda").half()
scores = q @ q.transpose(1, 2)
weights = torch.softmax(scores.float(), -1)
out = weights @ v

# fixed:
#- out = weights @ v
#+ out = weights.to(v.dtype) @ v
