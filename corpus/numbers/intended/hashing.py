"""Integers that wrap on purpose: a generator of pseudo-random numbers and a checksum of bytes."""
import torch

seed = torch.arange(100, dtype=torch.int64)
for _ in range(5):
    seed = seed * 6364136223846793005 + 1442695040888963407
bits = (seed >> 33).float() / 2 ** 31
bytes_ = torch.arange(256, dtype=torch.uint8)
checksum = bytes_[0]
for value in bytes_[1:]:
    checksum = checksum ^ value
