# machine: 2xa100
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="localhost", MASTER_PORT="29517")
dist.init_process_group("nccl")
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)).cuda()
for layer in model:
    fully_shard(layer, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
fully_shard(model)
assert isinstance(model[0].weight, DTensor)
assert model[0].weight.dtype == torch.float32
optimizer = torch.optim.AdamW(model.parameters())
out = model(torch.zeros(2, 4, device="cuda"))
assert out.dtype == torch.bfloat16
torch.nn.functional.linear(out, model[1].weight.full_tensor().T)  # finding: operand-dtype-mismatch linear weight
out.sum().backward()
assert model[0].weight.grad.dtype == torch.float32
optimizer.step()
dist.destroy_process_group()
