#!/usr/bin/env bash
# torch 2.13.0: ReduceLROnPlateau multiplies a learning rate that two groups share once for each of them.
# Guessed: as StepLR, which gives every group the new rate. With a tensor as the rate, which capturable and compiled
# optimizers want, two groups hold the same object, and a factor of 0.1 becomes 0.01.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


def optimizer():
    rate = torch.tensor(1.0)
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": rate} for _ in range(2)]
    return torch.optim.SGD(groups, lr=rate)


plateau, step = optimizer(), optimizer()
on_plateau = ReduceLROnPlateau(plateau, factor=0.1, patience=0)
on_plateau.step(1.0)
on_plateau.step(1.0)
stepped = StepLR(step, 1, gamma=0.1)
step.step()
stepped.step()
for one in (plateau, step):
    print([round(group["lr"].item(), 4) for group in one.param_groups])
#> [0.01, 0.01]
#> [0.1, 0.1]
END
