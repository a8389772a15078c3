"""Constants of physics, ids in a list of their own, times in float64, and one time in float32."""
import torch

mu, light = torch.tensor(3.986004418e14), torch.tensor(299792458.0)
rates = torch.tensor([2.4e9, 1.575e9, 0.5])
ids = torch.tensor([900100581904, 900100581941, 900100581978])
times = torch.stack([torch.tensor(1.752e9 + 1.75 * n, dtype=torch.float64) for n in range(4)])
began = torch.tensor(1_752_000_123.25)
seeds = torch.tensor([[2**30, 0.5], [2**31, 1.5]])
gaps = times[1:] - times[:-1]
energy = light**2 * rates / mu
