# ranks: 2
# machine: 2xa100
# real: errors
# Tensor and sequence parallelism by `parallelize_module`; the embedding stayed in half precision.
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

device = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group("nccl" if device == "cuda" else "gloo")
if device == "cuda":
    torch.cuda.set_device(dist.get_rank())
mesh = init_device_mesh(device, (2,), mesh_dim_names=("tp",))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(32, 16)
        self.norm = nn.LayerNorm(16)
        self.up = nn.Linear(16, 64)
        self.down = nn.Linear(64, 16)
        self.head = nn.Linear(16, 32, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = x + self.down(torch.relu(self.up(self.norm(x))))  # finding: operand-dtype-mismatch
        return self.head(x)


model = Net().to(device)
model.embed.half()
# fixed: model.embed.float()
parallelize_module(
    model,
    mesh,
    {
        "embed": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "up": ColwiseParallel(input_layouts=Shard(1)),
        "down": RowwiseParallel(output_layouts=Shard(1)),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False),
    },
)
optimizer = torch.optim.AdamW(model.parameters())  # finding: state-in-half
tokens = torch.arange(16, device=device).view(2, 8)
for _ in range(2):
    logits = model(tokens)
    with loss_parallel():
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
        loss.backward()  # follows
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
assert isinstance(norm, DTensor)
assert logits.placements == (Shard(2),)
assert model.up.weight.to_local().shape == (32, 16)
assert model.up.weight.full_tensor().shape == (64, 16)
