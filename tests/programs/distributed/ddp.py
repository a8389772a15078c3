# machine: 8xa100
# As torchrun starts it.
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

local_rank = int(os.environ["LOCAL_RANK"])
dist.init_process_group("nccl")  # note: rank 0 of 1
torch.cuda.set_device(local_rank)
assert dist.is_initialized() and dist.get_rank() == 0 and dist.get_world_size() == 1 and dist.get_backend() == "nccl"
device = torch.device("cuda", local_rank)
model = DDP(nn.Linear(8, 2).to(device), device_ids=[local_rank])
optimizer = torch.optim.AdamW(model.parameters())
data = TensorDataset(torch.randn(16, 8), torch.randint(0, 2, (16,)))
sampler = DistributedSampler(data, shuffle=True)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for i, (x, y) in enumerate(DataLoader(data, batch_size=4, sampler=sampler)):
        loss = nn.functional.cross_entropy(model(x), y.to(device))
        if i == 0:
            with model.no_sync():
                loss.backward()
            continue
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.detach().clone()
        dist.all_reduce(mean, op=dist.ReduceOp.SUM)
        print(mean.item() / dist.get_world_size())
if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), "ddp.pt")
dist.barrier()
dist.destroy_process_group()
