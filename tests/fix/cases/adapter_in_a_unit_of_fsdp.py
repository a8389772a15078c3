# machine: a100
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Adapted(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


dist.init_process_group("nccl")
base = nn.Linear(8, 4).to(torch.bfloat16).requires_grad_(False)
net = FSDP(Adapted(base), device_id=0, use_orig_params=True)
net(torch.randn(3, 8, device="cuda", dtype=torch.bfloat16)).float().sum().backward()
# fixed:
#-         self.down = nn.Linear(base.in_features, rank, bias=False)
#-         self.up = nn.Linear(rank, base.out_features, bias=False)
#+         self.down = nn.Linear(base.in_features, rank, bias=False, dtype=base.weight.dtype)
#+         self.up = nn.Linear(rank, base.out_features, bias=False, dtype=base.weight.dtype)
