# ranks: 3
# machine: 4xv100
# Without a backend there is one for each kind of device, and the tensors never meet.
import torch
import torch.distributed as dist

dist.init_process_group()
rank = dist.get_rank()
torch.cuda.set_device(rank)
total = torch.zeros(1)  # origin
if rank != 1:
    # fixed: if rank < 3:
    total = total.cuda()  # other-origin
dist.all_reduce(total)  # finding: collective-device-mismatch
