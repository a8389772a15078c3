# machine: v100
import torch
from torch import nn


class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("filters", torch.rand(8, 33))

    def forward(self, wave):
        spectrum = torch.stft(wave.float(), 64, 16, window=self.window.float(), return_complex=True)
        power = spectrum.abs() ** 2
        mel = self.filters @ power
        return mel.clamp(min=1e-10).log10()


model = nn.ModuleDict({"mel": LogMel(), "net": nn.Linear(8, 4)}).half().to("cuda")
mel = model["mel"](torch.randn(2, 640, device="cuda"))
net = model["net"]
net(mel.mT.to(net.weight.dtype))

# fixed:
#-         mel = self.filters @ power
#+         mel = self.filters.to(power.dtype) @ power
