# machine: cpu
# A vocabulary in shards on CPUs: each process masks the ids that it does not hold.
import os

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import RowwiseParallel, parallelize_module

os.environ.update(RANK="0", WORLD_SIZE="2", LOCAL_RANK="0", MASTER_ADDR="localhost", MASTER_PORT="29520")
mesh = init_device_mesh("cpu", (2,))
plan = {"0": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1))}
net = parallelize_module(nn.Sequential(nn.Embedding(200, 4)), mesh, plan)
out = net(torch.randint(200, (8, 64)))
assert out.shape == (8, 32, 4)
out.sum().backward()
