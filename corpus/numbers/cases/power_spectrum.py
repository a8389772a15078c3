"""A power spectrum is handed to the model in float16: loud partials are infinite."""
import torch
from torch import nn


class Frontend(nn.Module):
    def __init__(self, n_fft=2048, hop=512, dtype=torch.float16):
        super().__init__()
        self.n_fft, self.hop, self.dtype = n_fft, hop, dtype
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)
        power = spec.abs().pow(2).to(self.dtype)  # fault: overflow
        return torch.log1p(power)


t = torch.arange(16000) / 16000
wave = 0.9 * torch.sin(2 * torch.pi * 437.5 * t)
features = Frontend()(wave)


def harm():
    return features.isinf().float().mean().item() * 10

# right:
#- features = Frontend()(wave)
#+ features = Frontend(dtype=torch.float32)(wave)
