# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
loss = torch.ones(4)  # other-origin
if dist.get_rank() == 1:
    loss = loss.half()  # origin
    # fixed: loss = loss.float()
dist.all_reduce(loss)  # finding: collective-dtype-mismatch
assert loss.tolist() == [2.0] * 4
