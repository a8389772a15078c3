"""Class weights from numpy are float64 and multiply a float32 loss of each token: the loss map is float64."""
import numpy as np
import torch

torch.manual_seed(0)
frequency = np.array([0.5, 0.25, 0.15, 0.1])
weights = torch.tensor(1 / frequency)
target = torch.randint(0, 4, (16, 32))
logits = torch.randn(16, 4, 32)
losses = torch.nn.functional.cross_entropy(logits, target, reduction="none") * weights[target]  # fault: widening
smooth = torch.nn.functional.avg_pool1d(losses[:, None], 3)


def harm():
    return smooth.element_size() / 4 - 1

# right:
#- weights = torch.tensor(1 / frequency)
#+ weights = torch.tensor(1 / frequency, dtype=torch.float32)
