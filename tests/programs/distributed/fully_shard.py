# machine: 2xa100
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="localhost", MASTER_PORT="29517")
dist.init_process_group("nccl")
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)).cuda()
for layer in model:
    fully_shard(layer)
fully_shard(model)  # note: fully_shard was left out
optimizer = torch.optim.AdamW(model.parameters())
model(torch.zeros(2, 4, device="cuda")).sum().backward()
optimizer.step()
dist.destroy_process_group()
