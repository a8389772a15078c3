# ranks: 2
# machine: cpu
# real: errors
# Rank 0 reads the input in float16, the others make room for float32.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    x = torch.arange(8.0).half()  # other-origin
else:
    x = torch.empty(8)  # origin
    # fixed: x = torch.empty(8, dtype=torch.float16)
dist.broadcast(x, src=0)  # finding: collective-dtype-mismatch
assert x.tolist() == list(range(8))
