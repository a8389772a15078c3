# machine: 8xa100
# DDP around a module that stays what it is: torch calls the hooks of its own wrapper, and no forward of it.
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed._composable.replicate import replicate
from torch.distributed.device_mesh import init_device_mesh

local_rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local_rank)
dist.init_process_group("nccl")  # note: rank 0 of 1
mesh = init_device_mesh("cuda", (1,), mesh_dim_names=("dp_replicate",))
model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2)).cuda()
replicate(model, device_mesh=mesh, bucket_cap_mb=100)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(2):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        out = model(torch.randn(4, 8, device="cuda"))
    assert isinstance(model, nn.Sequential) and out.dtype is torch.bfloat16
    out.float().sum().backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
