# machine: a100
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.hidden = hidden
        self.rnn = nn.GRU(4, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 3)

    def start(self, size):
        return torch.zeros(1, size, self.hidden)

    def forward(self, x):
        return self.out(self.rnn(x, self.start(len(x)))[0])


device = "cuda" if torch.cuda.is_available() else "cpu"
net = Tagger().to(device, torch.bfloat16)
net(torch.randn(2, 5, 4, device=device, dtype=torch.bfloat16)).sum().backward()

# fixed:
#-         return torch.zeros(1, size, self.hidden)
#+         return torch.zeros(1, size, self.hidden, dtype=self.out.weight.dtype, device=self.out.weight.device)
