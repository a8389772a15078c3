# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
model = nn.Linear(4, 2 + dist.get_rank())
# fixed: model = nn.Linear(4, 2)
ddp = nn.parallel.DistributedDataParallel(model)  # finding: replicas-differ
ddp(torch.randn(3, 4)).sum().backward()  # follows
