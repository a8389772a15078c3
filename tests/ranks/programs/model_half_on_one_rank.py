# ranks: 2
# machine: cpu
# real: errors
# One rank converted its part of the model: whatever it reduces or gathers from there on is the same mistake.
import torch
import torch.distributed as dist
import torch.nn.functional as F

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
dtype = torch.float16 if rank == 1 else torch.float32
# fixed: dtype = torch.float16
torch.manual_seed(0)
column, row, head = (torch.randn(8, 4).to(dtype) for _ in range(3))
x = torch.randn(2, 4).to(dtype)  # origin
hidden = F.linear(F.gelu(F.linear(x, column)), row.t())
dist.all_reduce(hidden)  # finding: collective-dtype-mismatch
logits = F.linear(hidden, head)
parts = [torch.empty_like(logits) for _ in range(size)]
dist.all_gather(parts, logits)  # follows
dist.all_reduce(torch.cat(parts).sum())  # follows
