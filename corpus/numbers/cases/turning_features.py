"""Queries are turned by a float32 table: bfloat16 queries come back as float32, and so does attention."""
import torch
import torch.nn.functional as F


def table(length, size, device=None):
    speed = 10000 ** -(torch.arange(0, size, 2, device=device) / size)
    angle = torch.arange(length, device=device)[:, None] * speed
    return torch.cat([angle.sin(), angle.cos()], -1)


def rotate(x, turn):
    sine, cosine = turn.chunk(2, -1)
    sine, cosine = sine.repeat_interleave(2, -1), cosine.repeat_interleave(2, -1)
    crossed = torch.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    return x * cosine + crossed * sine  # fault: widening


torch.manual_seed(0)
query, key, value = torch.randn(3, 2, 4, 128, 32).bfloat16()
turn = table(128, 32)
query, key = rotate(query, turn), rotate(key, turn)
scores = query @ key.transpose(-1, -2) / 32**0.5


def harm():
    return scores.nbytes / (2 * 4 * 128 * 128 * 2) - 1

# right:
#- turn = table(128, 32)
#+ turn = table(128, 32).bfloat16()
