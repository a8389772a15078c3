"""The step counter of an exploration schedule is a float buffer and becomes bfloat16 with the module."""
import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self, obs_dim, actions, decay_steps=1000, floor=0.05):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, actions))
        self.actions, self.decay_steps, self.floor = actions, decay_steps, floor
        self.register_buffer("steps", torch.zeros(()))

    def epsilon(self):
        return max(self.floor, 1.0 - self.steps.item() / self.decay_steps)

    @torch.no_grad()
    def act(self, obs):
        self.steps += 1  # fault: accumulate-in-half
        greedy = self.body(obs).argmax(dim=-1)
        explore = torch.rand(obs.shape[0]) < self.epsilon()
        return torch.where(explore, torch.randint(self.actions, greedy.shape), greedy)


torch.manual_seed(0)
actor = Actor(obs_dim=8, actions=4).to(torch.bfloat16)  # the copy that only collects rollouts
for _ in range(1500):
    action = actor.act(torch.randn(2, 8, dtype=torch.bfloat16))


def harm():
    return float(actor.epsilon() - 0.05)

# right:
#-         self.register_buffer("steps", torch.zeros(()))
#+         self.register_buffer("steps", torch.zeros((), dtype=torch.long))
