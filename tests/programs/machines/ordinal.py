# machine: 2xa100
import torch

for index in range(3):
    x = torch.zeros(2, device=f"cuda:{index}")  # finding: device-not-on-machine cuda:2
    # fixed: x = torch.zeros(2, device=f"cuda:{index % 2}")
