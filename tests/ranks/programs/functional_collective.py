# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

dist.init_process_group("gloo")
x = torch.ones(4)
if dist.get_rank() == 1:
    x = x.double()
    # fixed: x = x.float()
y = funcol.all_reduce(x, "sum", dist.group.WORLD)  # finding: collective-dtype-mismatch
assert y.tolist() == [2.0] * 4
