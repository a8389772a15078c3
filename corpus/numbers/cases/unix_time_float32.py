"""Unix times are stored in float32, which holds multiples of 128 seconds there: gaps between events are lost."""
import torch
from torch import nn


class EventEncoder(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.gap = nn.Linear(1, dim)

    def forward(self, timestamps):
        timestamps = timestamps.to(self.gap.weight.dtype)  # fault: rounding-of-integers
        gaps = timestamps[:, 1:] - timestamps[:, :-1]
        self.last_gaps = gaps
        return self.gap(torch.log1p(gaps)[..., None])


torch.manual_seed(0)
sessions = 1_700_000_000 + torch.randint(1, 90, (16, 30)).cumsum(dim=1)
encoder = EventEncoder()
encoded = encoder(sessions)


def harm():
    right = sessions.diff(dim=1)
    error = (encoder.last_gaps.double() - right).abs().max().item()
    zero = (encoder.last_gaps == 0).float().mean().item()
    return float(error)

# right:
#-         timestamps = timestamps.to(self.gap.weight.dtype)
#-         gaps = timestamps[:, 1:] - timestamps[:, :-1]
#+         gaps = (timestamps[:, 1:] - timestamps[:, :-1]).to(self.gap.weight.dtype)
