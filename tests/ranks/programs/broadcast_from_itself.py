# ranks: 2
# machine: cpu
# real: hangs
# Each rank takes itself for the source: nobody receives.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
weights = torch.full((4,), float(dist.get_rank()))
dist.broadcast(weights, src=dist.get_rank())  # finding: collective-call-mismatch
# fixed: dist.broadcast(weights, src=0)
assert weights.tolist() == [0.0] * 4
