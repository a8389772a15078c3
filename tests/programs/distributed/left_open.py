# machine: a100
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
print(torch.ones(2, device=f"cuda:{dist.get_rank()}"))
