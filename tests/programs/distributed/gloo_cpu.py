# machine: cpu
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(nn.Linear(4, 4))
model(torch.randn(2, 4)).sum().backward()
dist.all_reduce(model.module.weight.grad)
dist.destroy_process_group()
assert not dist.is_initialized()
