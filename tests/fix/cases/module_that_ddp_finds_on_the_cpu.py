# machine: a100
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("nccl")
rank = int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", rank)
net = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
net = DDP(net, device_ids=[rank])
net(torch.randn(2, 8, device=device)).sum().backward()
# fixed:
#- net = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
#+ net = nn.Sequential(nn.Linear(8, 4), nn.ReLU()).to(device)
