"""A float32 gain of one element widens bfloat16 features to float32 for good."""
import torch
from torch import nn


class Gain(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1))

    def forward(self, hidden):
        return hidden * self.gain  # fault: widening


torch.manual_seed(0)
gain = Gain()
hidden = torch.randn(4, 64).bfloat16()
widened = gain(hidden)
after = torch.relu(widened)


def harm():
    return float(after.element_size() == 4)

# right:
#- gain = Gain()
#+ gain = Gain().bfloat16()
