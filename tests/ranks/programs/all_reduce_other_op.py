# ranks: 2
# machine: cpu
# real: errors
# gloo adds on one rank and takes the larger one on the other.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
x = torch.tensor([1.0, 3.0])
op = dist.ReduceOp.MAX if dist.get_rank() == 0 else dist.ReduceOp.SUM
# fixed: op = dist.ReduceOp.SUM
dist.all_reduce(x, op=op)  # finding: collective-call-mismatch
assert x.tolist() == [2.0, 6.0]
