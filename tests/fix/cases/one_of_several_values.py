# machine: v100
import numpy as np
import torch
from torch import nn


def sample(device):
    return (
        torch.tensor([0, 1], device=device),
        torch.from_numpy(np.zeros((2, 4))).to(device),
        torch.tensor([0.0, 1.0], device=device),
    )


net = nn.Linear(4, 2).to("cuda")
action, state, done = sample("cuda")
net(state).gather(1, action[:, None])
net(state)

# fixed:
#-         torch.from_numpy(np.zeros((2, 4))).to(device),
#+         torch.from_numpy(np.zeros((2, 4))).to(device, torch.float32),
