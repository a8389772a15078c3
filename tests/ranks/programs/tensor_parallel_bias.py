# ranks: 2
# machine: cpu
# real: errors
# Column and row parallel linears; the bias of rank 0, which alone has one, was kept in float32.
import torch
import torch.distributed as dist
import torch.nn.functional as F

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
column = torch.randn(16, 8).bfloat16().chunk(size, 0)[rank]
row = torch.randn(8, 16).bfloat16().chunk(size, 1)[rank]
x = torch.randn(2, 8).bfloat16()  # other-origin
out = F.linear(F.gelu(F.linear(x, column)), row)
if rank == 0:
    out = out + torch.zeros(8)  # origin
    # fixed: out = out + torch.zeros(8).to(out.dtype)
dist.all_reduce(out)  # finding: collective-dtype-mismatch
