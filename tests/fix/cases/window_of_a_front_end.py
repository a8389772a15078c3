# machine: a100
import torch
from torch import nn


class Frontend:
    def __init__(self, n=16):
        self.n, self.window = n, torch.hann_window(n)

    def __call__(self, wave):
        return torch.stft(wave, self.n, window=self.window, return_complex=True).abs()


class Spotter(nn.Module):
    def __init__(self):
        super().__init__()
        self.frontend, self.head = Frontend(), nn.Linear(9, 2)

    def forward(self, wave):
        return self.head(self.frontend(wave).mean(-1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Spotter().to(device)
for _ in range(2):
    model(torch.randn(2, 64).to(device)).sum().backward()
# fixed:
#-         return torch.stft(wave, self.n, window=self.window, return_complex=True).abs()
#+         return torch.stft(wave, self.n, window=self.window.to(wave.device), return_complex=True).abs()
