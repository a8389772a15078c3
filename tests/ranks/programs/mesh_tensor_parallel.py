# ranks: 4
# machine: 4xv100
# Data parallel over one dimension of a mesh, tensor parallel over the other; one rank's bias stayed in float32.
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
mesh = init_device_mesh("cuda", (2, 2), mesh_dim_names=("dp", "tp"))
data, tensor = mesh.get_group("dp"), mesh.get_group("tp")
column = torch.randn(8, 4, device="cuda").half()
row = torch.randn(4, 8, device="cuda").half()
x = torch.randn(2, 4, device="cuda").half()
dist.broadcast(x, src=dist.get_process_group_ranks(tensor)[0], group=tensor)
hidden = F.linear(F.gelu(F.linear(x, column)), row)
if dist.get_rank() == 3:
    hidden = hidden + torch.zeros(4, device="cuda")
    # fixed: hidden = hidden + torch.zeros(4, device="cuda").half()
dist.all_reduce(hidden, group=tensor)  # finding: collective-dtype-mismatch  # only: 2,3
dist.all_reduce(hidden, group=data)  # finding: collective-dtype-mismatch  # only: 1,3
