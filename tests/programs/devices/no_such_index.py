# machine: v100
import torch

x = torch.zeros(2, device="cuda:1")  # finding: device-not-on-machine cuda:1
