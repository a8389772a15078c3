# ranks: 2
# machine: 2xv100
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
rank = dist.get_rank()
loss = torch.zeros(1, device=f"cuda:{rank}")
if rank == 1:
    loss = loss.cpu()
    # fixed: loss = loss
dist.all_reduce(loss)  # finding: operand-device-mismatch  # only: 1
