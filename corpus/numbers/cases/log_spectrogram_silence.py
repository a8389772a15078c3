"""The log of a spectrogram with digital silence is -inf, the mean over time too, and the normalised features NaN."""
import torch
from torch import nn


class Frontend(nn.Module):
    def __init__(self, n_fft=256, hop=128):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, waveform):
        spec = torch.stft(waveform, self.n_fft, self.hop, window=self.window, return_complex=True)
        power = spec.abs().square()
        features = torch.log(power)  # fault: nan-mask
        return features - features.mean(dim=-1, keepdim=True)


torch.manual_seed(0)
waveform = 0.1 * torch.randn(4, 8000)
waveform[1, 3000:5000] = 0  # a muted passage
features = Frontend()(waveform)


def harm():
    return float((~features.isfinite()).float().mean().item())

# right:
#-         features = torch.log(power)
#+         features = torch.log(power.clamp(min=1e-10))
