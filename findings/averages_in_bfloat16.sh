#!/usr/bin/env bash
# torch 2.13.0: averages that torch keeps for a bfloat16 model are kept in bfloat16, and stop.
# Guessed: AveragedModel and BatchNorm keep float32 numbers. With a decay of 0.999 an average of weights that went
# from 1 to 2 is 1 after 2,000 updates. BatchNorm with momentum 0.001 has a running mean of 32 after 5,000 batches
# with the mean 100.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

net = torch.nn.Linear(1, 1, bias=False).to(torch.bfloat16)
torch.nn.init.ones_(net.weight)
average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.999))
average.update_parameters(net)
torch.nn.init.constant_(net.weight, 2.0)
for _ in range(2000):
    average.update_parameters(net)
print(average.module.weight.item())
norm = torch.nn.BatchNorm1d(1, momentum=0.001).to(torch.bfloat16)
batch = torch.full((4, 1), 100.0, dtype=torch.bfloat16)
for _ in range(5000):
    norm(batch)
print(norm.running_mean.item())
#> 1.0
#> 32.0
END
