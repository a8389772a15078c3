# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
x = torch.ones(2)
for i in range(3):
    if dist.get_rank() == 0:
        x = x * 2
        dist.isend(x, 1).wait()
    elif i < 2:
        dist.recv(x, 0)
if dist.get_rank() == 1:
    dist.recv(x, 0)
    dist.recv(x, 0)  # finding: collective-never-reached
    # fixed: pass
    assert x.tolist() == [8.0, 8.0]
