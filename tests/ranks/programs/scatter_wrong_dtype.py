# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
parts = None
part = torch.empty(4)
if dist.get_rank() == 0:
    parts = [torch.full((4,), float(i)) for i in range(2)]
else:
    part = torch.empty(4, dtype=torch.float64)
    # fixed: part = torch.empty(4)
dist.scatter(part, parts, src=0)  # finding: collective-dtype-mismatch
assert part.tolist() == [float(dist.get_rank())] * 4
