"""A matrix of the Fourier transform: k times n up to 65,000 is an angle in bfloat16."""
import math

import torch


def matrix(size, dtype):
    k = torch.arange(size, dtype=torch.float32)
    turns = torch.einsum("i,j->ij", k, k).to(dtype) * (2 * math.pi / size)
    return torch.complex(turns.cos().float(), -turns.sin().float())  # fault: angle-in-half


torch.manual_seed(0)
signal = torch.randn(256)
spectrum = matrix(256, torch.bfloat16) @ signal.to(torch.complex64)


def harm():
    exact = torch.fft.fft(signal.double())
    return ((spectrum - exact).abs().mean() / exact.abs().mean()).item()

# right:
#- spectrum = matrix(256, torch.bfloat16) @ signal.to(torch.complex64)
#+ spectrum = matrix(256, torch.float64).to(torch.complex64) @ signal.to(torch.complex64)
