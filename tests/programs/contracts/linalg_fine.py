# machine: a100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
a = torch.randn(3, 4, 4, device=dev, dtype=torch.float64)
spd = a @ a.mT + 4 * torch.eye(4, device=dev, dtype=torch.float64)
l = torch.linalg.cholesky(spd)
torch.linalg.solve(spd, a), torch.linalg.svd(a), torch.linalg.qr(a), torch.linalg.eigh(spd), torch.det(a)
torch.linalg.inv(spd.float()), torch.linalg.norm(a), torch.cholesky_solve(a, l), torch.linalg.lstsq(a, a)
torch.fft.irfft2(torch.fft.rfft2(torch.randn(2, 8, 8, device=dev)) * torch.randn(2, 8, 5, device=dev))
torch.stft(torch.randn(1, 400, device=dev), 64, window=torch.hann_window(64, device=dev), return_complex=True)
