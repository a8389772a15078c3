# ranks: 2
# machine: 2xa100
# A mesh gives each rank its device, unless the program has made use of CUDA before.
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

assert torch.cuda.is_available() and torch.cuda.device_count() == 2 and not torch.cuda.is_initialized()
torch.cuda.manual_seed_all(0)
mesh = init_device_mesh("cuda", (2,), mesh_dim_names=("tp",))
assert torch.cuda.current_device() == mesh.get_local_rank("tp") == dist.get_rank()
x = torch.ones(4, device="cuda")
assert torch.cuda.is_initialized()
dist.all_reduce(x, group=mesh.get_group("tp"))
