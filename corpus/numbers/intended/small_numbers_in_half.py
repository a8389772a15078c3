"""Counts, positions and timesteps that half precision holds exactly."""
import torch

positions = torch.arange(256, dtype=torch.bfloat16)
timesteps = torch.tensor([3, 200, 40]).to(torch.bfloat16)
counted = torch.zeros((), dtype=torch.float16)
for _ in range(300):
    counted += 1
heads = torch.ones(12).half().cumsum(0)
