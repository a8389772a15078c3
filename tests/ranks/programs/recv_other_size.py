# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.send(torch.ones(4), 1)  # other
else:
    got = torch.zeros(6)
    # fixed: got = torch.zeros(4)
    dist.recv(got, 0)  # finding: collective-size-mismatch
    assert got.tolist() == [1.0] * len(got)
