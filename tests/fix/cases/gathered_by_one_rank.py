# machine: a100
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("nccl")
net = nn.Linear(8, 4).cuda()
with torch.autocast("cuda", dtype=torch.bfloat16):
    features = net(torch.randn(3, 8, device="cuda"))
all_features = [torch.zeros(features.shape, device=features.device) for _ in range(dist.get_world_size())]
dist.all_gather(all_features, features)
# fixed:
#- all_features = [torch.zeros(features.shape, device=features.device) for _ in range(dist.get_world_size())]
#+ all_features = [torch.zeros(features.shape, device=features.device, dtype=features.dtype) for _ in range(dist.get_world_size())]
