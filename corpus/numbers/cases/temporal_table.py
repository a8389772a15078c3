"""A table of sines for frame numbers up to 3000 whose exponents are float32 and whose frames are the video's bfloat16."""
import math

import torch


def encode(frames, size):
    half = size // 2
    rate = torch.exp(torch.arange(half) * (-math.log(10000.0) / half)).to(frames)
    phase = frames.unsqueeze(-1) * rate
    return torch.cat((torch.cos(phase), torch.sin(phase)), -1)  # fault: angle-in-half


video = torch.zeros(1, dtype=torch.bfloat16)
frames = torch.arange(0, 3000, 3)
table = encode(frames.to(video.dtype), 16)


def harm():
    rate = torch.exp(torch.arange(8).double() * (-math.log(10000.0) / 8))
    exact = torch.cos(frames.double()[:, None] * rate)
    return (table[:, :8].double() - exact).abs().max().item()

# right:
#- table = encode(frames.to(video.dtype), 16)
#+ table = encode(frames.float(), 16)
