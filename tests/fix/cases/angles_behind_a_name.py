# machine: v100
import torch
from torch import nn

class Wave(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, position):
        return self.function(position / 10)

wave = Wave(torch.sin)
net = nn.Linear(4096, 8).cuda().half()
position = torch.arange(0, 4096, dtype=torch.float32, device="cuda")
net(wave(position)[None])

# fixed:
#- net(wave(position)[None])
#+ net(wave(position)[None].to(torch.float16))
