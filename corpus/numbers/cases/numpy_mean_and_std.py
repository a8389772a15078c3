"""Channel means from a NumPy array are float64, and normalise a float32 picture to float64."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)


class Normalize(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean, self.std = torch.from_numpy(mean)[:, None, None], torch.from_numpy(std)[:, None, None]

    def forward(self, x):
        return (x - self.mean) / self.std  # fault: widening


normalize = Normalize(np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225]))
out = normalize(torch.rand(4, 3, 16, 16))


def harm():
    return out.nbytes / (4 * 3 * 16 * 16 * 4) - 1

# right:
#- normalize = Normalize(np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225]))
#+ normalize = Normalize(np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225]))
