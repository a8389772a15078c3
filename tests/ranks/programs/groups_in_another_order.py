# ranks: 2
# machine: cpu
# real: hangs
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
first, second = dist.new_group([0, 1]), dist.new_group([0, 1])
if dist.get_rank() == 1:
    # fixed: if False:
    first, second = second, first
x = torch.ones(2)
dist.all_reduce(x, group=first)  # finding: collective-never-reached
dist.all_reduce(x, group=second)
