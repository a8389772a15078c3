"""A Hann window by its formula, from sample numbers in float16."""
import math

import torch

number = torch.arange(8192).half()
window = 0.5 - 0.5 * torch.cos(2 * math.pi * number / 8192 * 64)  # fault: angle-in-half


def harm():
    right = 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(8192).double() / 128)
    return (window.double() - right).abs().max().item()

# right:
#- number = torch.arange(8192).half()
#+ number = torch.arange(8192)
