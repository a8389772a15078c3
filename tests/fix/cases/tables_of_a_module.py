# machine: v100
import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 10), dim=0)
        self.signal = alphas.sqrt()
        self.noise = (1 - alphas).sqrt()
        self.net = nn.Linear(4, 4)

    def forward(self, x):
        t = torch.randint(0, 10, (x.shape[0],), device=x.device)
        scale = self.signal[t].unsqueeze(-1)
        return self.net(scale * x + self.noise[t].unsqueeze(-1))


Noise().cuda()(torch.randn(2, 4, device="cuda"))

# fixed:
#-         self.signal = alphas.sqrt()
#-         self.noise = (1 - alphas).sqrt()
#+         self.register_buffer("signal", alphas.sqrt(), persistent=False)
#+         self.register_buffer("noise", (1 - alphas).sqrt(), persistent=False)
