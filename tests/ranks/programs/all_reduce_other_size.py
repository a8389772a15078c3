# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
counts = torch.ones(4 + dist.get_rank())
# fixed: counts = torch.ones(4)
dist.all_reduce(counts)  # finding: collective-size-mismatch
assert counts.tolist() == [2.0] * len(counts)
