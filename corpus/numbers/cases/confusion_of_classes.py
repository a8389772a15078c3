"""Class sizes of a long epoch are added up in the bfloat16 of one_hot labels for smoothing: a class has 256 at most."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
dtype = torch.bfloat16
seen = torch.zeros(5, dtype=dtype)
for _ in range(150):
    labels = torch.randint(0, 5, (16,))
    targets = F.one_hot(labels, 5).to(dtype) * 0.9 + 0.02
    seen += targets.sum(0)  # fault: accumulate-in-half
weight = seen.sum() / (5 * seen)


def harm():
    return abs(seen.double().sum().item() / (150 * 16) - 1)

# right:
#- seen = torch.zeros(5, dtype=dtype)
#+ seen = torch.zeros(5)
