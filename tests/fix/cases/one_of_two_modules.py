# machine: v100
import torch
from torch import nn

device = torch.device("cuda")


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.features(x))


maker, judge = nn.Linear(2, 4).to(device), Judge()
judge(maker(torch.rand(3, 2, device=device))).mean().backward()

# fixed:
#- maker, judge = nn.Linear(2, 4).to(device), Judge()
#+ maker, judge = nn.Linear(2, 4).to(device), Judge().to(device)
