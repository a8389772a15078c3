"""model.half() casts the buffer of a rotary embedding, too; the angle is computed in float16."""
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("speed", 1.0 / 10000 ** (torch.arange(0, size, 2).float() / size))

    def forward(self, places):
        angle = places[:, None].type_as(self.speed) * self.speed  # fault: angle-in-half
        return torch.cat([angle.cos(), angle.sin()], dim=-1)


module = Rotary(32).half()
table = module(torch.arange(2000))


def harm():
    speed = 1.0 / 10000 ** (torch.arange(0, 32, 2).double() / 32)
    exact = torch.arange(2000).double()[:, None] * speed
    return (table[:, :16].double() - exact.cos()).abs().max().item()

# right:
#- module = Rotary(32).half()
#+ module = Rotary(32)
