# machine: 2xa100
# DTensor: attention of heads in shards, by the kernel of the device; rotary embeddings, whose backward has conjugates.
import os

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor

os.environ.update(RANK="0", WORLD_SIZE="2", LOCAL_RANK="0", MASTER_ADDR="localhost", MASTER_PORT="29519")
mesh = init_device_mesh("cuda", (2,))
x = distribute_tensor(torch.randn(2, 4, 8, 16, device="cuda", requires_grad=True), mesh, [Shard(1)])
turned = torch.view_as_complex(x.unflatten(-1, (8, 2)))
query = torch.view_as_real(turned * turned).flatten(-2)
out = torch.nn.functional.scaled_dot_product_attention(query, query, x, is_causal=True)
assert out.placements == (Shard(1),)
out.sum().backward()
