# ranks: 2
# machine: cpu
# real: errors
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join

dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2)))
with nullcontext():
    # fixed: with Join([model]):
    for _ in range(4 if dist.get_rank() == 0 else 2):
        model(torch.randn(2, 4)).sum().backward()  # finding: collective-never-reached
