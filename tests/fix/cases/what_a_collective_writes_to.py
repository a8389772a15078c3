# machine: a100
import os

import numpy as np
import torch
import torch.distributed as dist

os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="localhost", MASTER_PORT="1")
dist.init_process_group("nccl")
device = torch.device("cuda", 0)
hits = np.array([1.0, 10.0], dtype=np.float32)
total = torch.from_numpy(hits)
dist.all_reduce(total)
print(total[0].item() / total[1].item())
# fixed:
#- total = torch.from_numpy(hits)
#+ total = torch.from_numpy(hits).to(device)
