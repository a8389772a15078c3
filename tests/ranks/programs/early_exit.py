# ranks: 3
# machine: cpu
# real: errors
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
found = torch.tensor([dist.get_rank()])
if dist.get_rank() == 2:
    # fixed: if dist.get_rank() > 2:
    sys.exit()
dist.all_reduce(found)  # finding: collective-never-reached
