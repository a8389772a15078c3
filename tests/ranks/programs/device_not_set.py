# ranks: 2
# machine: 2xa100
# Everything is on cuda:0 of every rank.
import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(0)
# fixed: torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
x = torch.ones(4, device="cuda")  # origin
dist.all_reduce(x)  # finding: device-shared-by-ranks
dist.all_reduce(x)
