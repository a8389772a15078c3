# machine: a100
import torch
from torch import nn


class Run:
    def __init__(self, device, state=None):
        self.device = torch.device(device)
        self.net = nn.Linear(8, 4)
        self.optimizer = torch.optim.Adam(self.net.parameters())
        if state is not None:
            self.resume(state)
        self.net.to(self.device)

    def resume(self, state):
        self.optimizer.load_state_dict(state)

    def step(self):
        self.net(torch.randn(2, 8, device=self.device)).sum().backward()
        self.optimizer.step()


first = Run("cpu")
first.step()
Run("cuda", first.optimizer.state_dict()).step()
# fixed:
#+         self.net.to(self.device)
#-         self.net.to(self.device)
