"""The state of a slow recurrence is kept in bfloat16 between tokens: decays of 0.999 stand still, and so does the memory."""
import torch
from torch import nn


class SlowMemory(nn.Module):
    """h <- exp(-dt * a) * h + dt * x, token by token."""

    def __init__(self, width, state_dtype):
        super().__init__()
        self.a_log = nn.Parameter(torch.zeros(width))
        self.state_dtype = state_dtype

    @torch.no_grad()
    def forward(self, x, dt):
        state = torch.zeros(x.shape[0], x.shape[-1], dtype=self.state_dtype)
        keep = torch.exp(-dt * self.a_log.exp())
        outputs = []
        for token in x.unbind(1):
            state = (keep * state + dt * token).to(self.state_dtype)  # fault: state-in-half
            outputs.append(state)
        return torch.stack(outputs, 1)


torch.manual_seed(0)
x = torch.rand(2, 3000, 8) + 0.5
memory = SlowMemory(8, torch.bfloat16)
out = memory(x, 0.001)


def harm():
    state = torch.zeros(2, 8, dtype=torch.float64)
    for token in x.double().unbind(1):
        state = 2.718281828459045 ** -0.001 * state + 0.001 * token
    return ((out[:, -1].double() - state) / state).abs().max().item()

# right:
#- memory = SlowMemory(8, torch.bfloat16)
#+ memory = SlowMemory(8, torch.float32)
