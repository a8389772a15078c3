"""Eligibility traces fade by gamma * lambda = 0.998 a step in bfloat16: what was visited is never forgotten."""
import torch


class Traces:
    def __init__(self, states, dtype, gamma=0.999, lam=0.999):
        self.fade = gamma * lam
        self.e = torch.zeros(states, dtype=dtype)
        self.values = torch.zeros(states)

    def step(self, state, reward, following, rate=0.01):
        self.e.mul_(self.fade)  # fault: state-in-half
        self.e[state] = 1.0
        delta = reward + 0.999 * self.values[following] - self.values[state]
        self.values += rate * delta * self.e.float()


torch.manual_seed(0)
traces = Traces(50, torch.bfloat16)
for t in range(300):
    state = t % 50 if t < 50 else int(torch.randint(1, 50, ()))
    traces.step(state, 0.1, (state + 1) % 50)


def harm():
    return abs(traces.e[0].item() - (0.999 * 0.999) ** 299)

# right:
#- traces = Traces(50, torch.bfloat16)
#+ traces = Traces(50, torch.float32)
