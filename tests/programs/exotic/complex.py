# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, 8, device=dev)
f = torch.fft.fft(x)
assert f.dtype == torch.complex64
y = torch.fft.ifft(f * torch.polar(torch.ones(8, device=dev), torch.zeros(8, device=dev))).real
freqs = torch.outer(torch.arange(4, device=dev).float(), 1.0 / 10000 ** (torch.arange(0, 8, 2, device=dev) / 8))
rot = torch.polar(torch.ones_like(freqs), freqs)
q = torch.view_as_complex(x.reshape(4, 4, 2))
out = torch.view_as_real(q * rot).flatten(1).type_as(x)
(out + torch.complex(x, x).abs() + torch.view_as_real(f).sum(-1)).sum().item()
