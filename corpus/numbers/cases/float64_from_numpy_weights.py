"""Class weights counted with NumPy are float64 and multiply a float32 loss per token: all of it is float64."""
import numpy as np
import torch
import torch.nn.functional as F


def balanced(counts):
    share = counts / counts.sum()
    return torch.from_numpy(1.0 / np.sqrt(share))


torch.manual_seed(0)
weights = balanced(np.array([10.0, 200.0, 3.0, 50.0]))
logits, target = torch.randn(4096, 4), torch.randint(0, 4, (4096,))
each = F.cross_entropy(logits, target, reduction="none")
weighted = each * weights[target]  # fault: widening


def harm():
    return weighted.nbytes / (4096 * 4) - 1

# right:
#- weights = balanced(np.array([10.0, 200.0, 3.0, 50.0]))
#+ weights = balanced(np.array([10.0, 200.0, 3.0, 50.0])).float()
