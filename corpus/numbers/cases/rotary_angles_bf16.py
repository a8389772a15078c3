"""The angles of rotary position embeddings are computed in the model's bfloat16: at position 3000 an angle is off by several radians."""
import torch

torch.manual_seed(0)
length, width = 4096, 64
dtype = torch.bfloat16
query = torch.randn(length, width).to(dtype)


def rotary_tables(length, width, dtype):
    positions = torch.arange(length)
    inverse = 10000.0 ** (-torch.arange(0, width, 2) / width)
    angles = torch.outer(positions.to(dtype), inverse.to(dtype))  # fault: angle-in-half
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


cos, sin = rotary_tables(length, width, dtype)
rotated = rotate(query, cos, sin)


def harm():
    inverse = 10000.0 ** (-torch.arange(0, width, 2).double() / width)
    angles = torch.outer(torch.arange(length).double(), inverse)
    right = rotate(query.double(), angles.cos(), angles.sin())
    return ((rotated.double() - right).norm() / right.norm()).item()

# right:
#-     angles = torch.outer(positions.to(dtype), inverse.to(dtype))
#+     angles = torch.outer(positions.float(), inverse)
