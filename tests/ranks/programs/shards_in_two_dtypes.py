# ranks: 2
# machine: 2xa100
# FSDP2 with a mixed-precision policy that only one rank has.
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
if rank == 1:
    policy = MixedPrecisionPolicy()
    # fixed: policy = policy
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 2)).cuda()
for layer in (model[0], model[2]):
    fully_shard(layer, mp_policy=policy)
fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(2):
    loss = model(torch.randn(4, 8, device="cuda")).float().square().mean()  # finding: collective-dtype-mismatch
    loss.backward()  # follows
    assert model[0].weight.grad.dtype == torch.float32
    optimizer.step()
    optimizer.zero_grad()
    model.set_requires_gradient_sync(True)
