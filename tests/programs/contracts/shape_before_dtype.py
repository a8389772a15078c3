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

# Of real numbers that become complex first, what is within is not measured: the call is judged by its own sizes.
rows = torch.randn(4, 3, 4, device="cuda", dtype=torch.float16)
torch.fft.fft2(rows, dim=(0, 2))
torch.fft.fft2(rows, s=(4, 4))
torch.fft.fftn(rows[:, :1])
torch.fft.fft2(rows)  # finding: unsupported-dtype fft_fft2 self
torch.fft.fft2(rows[0].T)  # finding: unsupported-dtype fft_fft2 self
torch.fft.ifft2(rows)  # finding: unsupported-dtype fft_ifft2 self
torch.fft.fftn(rows)  # finding: unsupported-dtype fft_fftn self
torch.fft.ifftn(rows, dim=(1, 2))  # finding: unsupported-dtype fft_ifftn self
# n numbers are made of n / 2 + 1.
torch.fft.irfft(half[:, :5])
torch.fft.irfft(half, n=16)
torch.fft.hfft(half[:, :3])
torch.fft.irfft2(half[:2, :5])
torch.fft.irfft(half)  # finding: unsupported-dtype fft_irfft self
torch.fft.hfft(half[:, :4])  # finding: unsupported-dtype fft_hfft self
torch.fft.ihfft(half)
torch.fft.ihfft(half[:, :3])  # finding: unsupported-dtype fft_ihfft self
# Of a signal that is cut into pieces, their length counts.
window = torch.ones(8, device="cuda", dtype=torch.float16)
torch.stft(half.flatten()[:20], 8, window=window, return_complex=True)
