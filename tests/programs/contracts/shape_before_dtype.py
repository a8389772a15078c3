# machine: h100
# Nothing has no dtype that a kernel could lack; cuFFT transforms halves of 2^n numbers.
import torch

nothing = torch.zeros(0, 3, 3, device="cuda", dtype=torch.bfloat16)
torch.linalg.eigvalsh(nothing)
torch.linalg.eigvalsh(torch.eye(3, device="cuda", dtype=torch.bfloat16))  # finding: unsupported-dtype linalg_eigvalsh A
half = torch.randn(3, 8, device="cuda", dtype=torch.float16)
torch.fft.fft(half)
torch.fft.fft(half, n=16)
torch.fft.rfft2(half, s=(4, 8))
torch.fft.fft(half, n=6)  # finding: unsupported-dtype fft_fft self
