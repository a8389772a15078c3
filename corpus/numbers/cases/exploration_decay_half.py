"""The exploration rate of a float16 agent is one of its buffers: 1 times 0.9999 rounds back to 1 and the agent explores for ever."""
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.values = nn.Linear(4, 3)
        self.register_buffer("epsilon", torch.ones(()))

    def act(self, state):
        explore = torch.rand(()) < self.epsilon
        self.epsilon *= 0.9999  # fault: state-in-half
        return torch.randint(0, 3, ()) if explore else self.values(state).argmax()


torch.manual_seed(0)
agent = Agent().half()
state = torch.randn(4).half()
steps = 5000
with torch.no_grad():
    actions = [agent.act(state) for _ in range(steps)]


def harm():
    right = 0.9999 ** steps
    return abs(float(agent.epsilon) - right) / right

# right:
#-         self.register_buffer("epsilon", torch.ones(()))
#+         self.epsilon = 1.0
#-         self.epsilon *= 0.9999
#+         self.epsilon *= 0.9999
