# ranks: 4
# machine: 4xv100
# A mistake that has nothing to do with ranks is told once; what depends on the rank, for that rank.
import os

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("nccl")
local_rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local_rank)
model = nn.Linear(4, 2).cuda().half()
x = torch.randn(3, 4, device="cuda")
# fixed: x = torch.randn(3, 4, device="cuda").half()
out = model(x)  # finding: operand-dtype-mismatch  # only: 0,1,2,3
if local_rank >= 2:
    out = model(x.double())  # finding: operand-dtype-mismatch  # only: 2,3
    # fixed: out = model(x)
dist.all_reduce(out)
