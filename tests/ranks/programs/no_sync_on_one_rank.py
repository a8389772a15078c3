# ranks: 2
# machine: cpu
# real: errors
# Gradient accumulation in steps that differ between ranks.
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
every = 2 if dist.get_rank() == 0 else 3
# fixed: every = 2
for step in range(1, 7):
    with nullcontext() if step % every == 0 else model.no_sync():
        model(torch.randn(2, 4)).sum().backward()  # other
total = torch.zeros(1)
dist.all_reduce(total)  # finding: collective-call-mismatch
