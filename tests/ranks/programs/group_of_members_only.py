# ranks: 3
# machine: cpu
# real: hangs
# Each process counts its groups: the second one has another name on the rank that did not make the first.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
pair = None
if dist.get_rank() < 2:
    # fixed: if True:
    pair = dist.new_group([0, 1])
everybody = dist.new_group([0, 1, 2])  # finding: collective-never-reached
x = torch.ones(2)
dist.all_reduce(x, group=everybody)
