"""A soft Dice loss in float16 keeps an empty class from 0 / 0 by 1e-8."""
import torch
from torch import nn

torch.manual_seed(0)


class Dice(nn.Module):
    smooth = 1e-8

    def forward(self, chances, target):
        both = (chances * target).sum((0, 2))
        either = chances.sum((0, 2)) + target.sum((0, 2))
        return 1 - (2 * both / (either + self.smooth)).mean()  # fault: eps-vanishes


chances = torch.rand(2, 3, 50)
chances[:, 2] = 0
target = torch.zeros(2, 3, 50)
target[:, 0] = 1
loss = Dice()(chances.half(), target.half())


def harm():
    return float(loss.isnan())

# right:
#- loss = Dice()(chances.half(), target.half())
#+ loss = Dice()(chances, target)
