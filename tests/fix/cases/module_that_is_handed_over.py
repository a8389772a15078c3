# machine: v100
import torch
from torch import nn


class Trainer:
    def __init__(self, model, device):
        self.device = device
        self.model = model

    def step(self, x):
        return self.model(x.to(self.device)).sum()


device = "cuda" if torch.cuda.is_available() else "cpu"
trainer = Trainer(nn.Sequential(nn.Linear(8, 8), nn.ReLU()), device)
trainer.step(torch.randn(2, 8)).backward()

# fixed:
#-         self.model = model
#+         self.model = model.to(device)
