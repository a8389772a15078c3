# ranks: 4
# machine: 4xa100
# real: errors
# Shards over one dimension of a mesh, tensor parallelism over the other, with a policy of mixed precision.
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

device = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group("nccl" if device == "cuda" else "gloo")
if device == "cuda":
    torch.cuda.set_device(dist.get_rank())
mesh = init_device_mesh(device, (2, 2), mesh_dim_names=("data", "tensor"))
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8), nn.LayerNorm(8)).to(device)
parallelize_module(model, mesh["tensor"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
fully_shard(model, mesh=mesh["data"], mp_policy=policy)
optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
head = torch.randn(8, 4, device=device)
for _ in range(2):
    out = model(torch.randn(6, 8, device=device))
    assert out.dtype == torch.bfloat16
    logits = out @ head  # finding: operand-dtype-mismatch
    # fixed: logits = out.float() @ head
    logits.square().mean().backward()
    assert model[0].weight.grad.dtype == torch.float32
    optimizer.step()
    optimizer.zero_grad()
assert model[0].weight.to_local().shape == (8, 8)
