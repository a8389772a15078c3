# ranks: 2
# machine: cpu
# real: errors
# A rank that dies takes the others with it; that is no mistake of theirs.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
table = {0: "a", 1: "b"}
name = table[2 * dist.get_rank()]  # ends: KeyError: 2  # ends: on rank 1
# fixed: name = table[dist.get_rank()]
dist.all_reduce(torch.ones(1))
