# ranks: 2
# machine: 2xa100
# Gradients raised to float32 between backward passes of an accumulating DDP model.
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
model = nn.parallel.DistributedDataParallel(nn.Linear(8, 8, bias=False).cuda().bfloat16(), device_ids=[rank])
x = torch.randn(2, 8, device="cuda", dtype=torch.bfloat16)
for step in range(2):
    if step == 0:
        with model.no_sync():
            model(x).sum().backward()
    else:
        model(x).sum().backward()  # finding: gradient-dtype-mismatch  # only: 0,1
    for p in model.parameters():
        p.grad.data = p.grad.data.to(torch.float32)
        # fixed: p.grad.data = p.grad.data.to(p.dtype)
