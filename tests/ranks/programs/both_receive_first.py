# ranks: 2
# machine: cpu
# real: hangs
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
mine, theirs = torch.full((2,), float(rank)), torch.empty(2)
if rank < 2:
    # fixed: if rank == 1:
    dist.recv(theirs, 1 - rank)  # finding: collective-never-reached
    dist.send(mine, 1 - rank)
else:
    dist.send(mine, 1 - rank)
    dist.recv(theirs, 1 - rank)
assert theirs.tolist() == [float(1 - rank)] * 2
