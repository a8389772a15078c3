"""Prompt tuning: twenty learned vectors are bfloat16 parameters, Adam at 3e-5 cannot move them."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Settings:
    width: int = 32
    tokens: int = 20
    rate: float = 3e-5
    dtype: torch.dtype = torch.bfloat16


class Prompted(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.body = nn.Linear(settings.width, settings.width, dtype=torch.bfloat16).requires_grad_(False)
        self.prompt = nn.Parameter(torch.randn(settings.tokens, settings.width).to(settings.dtype))  # fault: half-parameters-without-master

    def forward(self, x):
        prompt = self.prompt.to(x.dtype).expand(x.shape[0], -1, -1)
        return self.body(torch.cat([prompt, x], 1)).float()


torch.manual_seed(0)
settings = Settings()
model = Prompted(settings)
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=settings.rate)
start = model.prompt.detach().clone()
for _ in range(12):
    x = torch.randn(4, 6, settings.width).bfloat16()
    model(x).tanh().square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


def harm():
    return (model.prompt.detach() == start).float().mean().item()

# right:
#-     dtype: torch.dtype = torch.bfloat16
#+     dtype: torch.dtype = torch.float32
