"""A multiplicative hash in float32: its low digits, which choose the bucket, are gone."""
import torch

keys = torch.arange(1000, 1100)
mixed = keys.float() * 40503.0 + 12345.0  # fault: rounding-of-integers
bucket = (mixed % 64).long()


def harm():
    return (bucket != (keys * 40503 + 12345) % 64).float().mean().item()

# right:
#- mixed = keys.float() * 40503.0 + 12345.0
#+ mixed = keys * 40503 + 12345
