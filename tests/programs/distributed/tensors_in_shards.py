# machine: 4xa100
# DTensor with one process: copies, pickles, random numbers, views, moves, and a mismatch within.
import copy
import io
import os

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, randn, zeros

os.environ.update(RANK="1", WORLD_SIZE="4", LOCAL_RANK="1", MASTER_ADDR="localhost", MASTER_PORT="29518")
mesh = init_device_mesh("cuda", (4,))
x = distribute_tensor(torch.randn(8, 16, device="cuda"), mesh, [Shard(0)])
assert (x.shape, x.to_local().shape, x.device.type) == ((8, 16), (2, 16), "cuda")
w = randn(16, 16, device_mesh=mesh, placements=[Shard(0)])
y = torch.nn.functional.dropout(torch.softmax(x @ w.t() + zeros(16, device_mesh=mesh), -1), 0.1)
assert y.redistribute(mesh, [Shard(1)]).to_local().shape == (8, 4)
assert y.full_tensor().shape == (8, 16)
assert x.sum().placements == (Partial(),)
assert (x > 0).dtype == torch.bool
assert x[:4].view(-1).shape == (64,)
assert type(copy.deepcopy(x)) is DTensor
assert x.to("cpu").device.type == "cpu"
assert x.to("cuda") is x
assert x.bfloat16().to_local().dtype == torch.bfloat16
file = io.BytesIO()
torch.save({"x": x}, file)
file.seek(0)
assert torch.load(file, weights_only=False)["x"].placements == (Shard(0),)
layer = torch.nn.Linear(16, 4).cuda()
layer.weight = torch.nn.Parameter(distribute_tensor(layer.weight, mesh, [Replicate()]))
layer.bias = torch.nn.Parameter(distribute_tensor(layer.bias, mesh, [Replicate()]))
layer(x).sum().backward()
assert isinstance(layer.weight.grad, DTensor)
layer(x.half())  # finding: operand-dtype-mismatch addmm mat2
