# ranks: 2
# machine: cpu
# real: errors
# One rank was started with another switch: its model is half.
import os

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
half = os.environ["RANK"] == "1"
# fixed: half = False
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
if half:
    model.bfloat16()
ddp = nn.parallel.DistributedDataParallel(model)  # finding: replicas-differ
x = torch.randn(3, 4).to(model[0].weight.dtype)
ddp(x).float().sum().backward()  # follows
