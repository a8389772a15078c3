# ranks: 3
# machine: cpu
# real: hangs
# A group is made by all ranks, also by those that are not in it.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
group = None
if dist.get_rank() < 2:
    # fixed: if True:
    group = dist.new_group([0, 1])  # finding: collective-never-reached
x = torch.ones(2)
if dist.get_rank() < 2:
    dist.all_reduce(x, group=group)
dist.barrier()  # other
