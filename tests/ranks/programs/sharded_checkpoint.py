# ranks: 2
# machine: 2xa100
# real: well
# `fully_shard` over a model made on `meta`, a checkpoint that all ranks write and read, and its whole on rank 0.
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_state_dict,
    set_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

warnings.simplefilter("ignore")  # of torch, on random numbers of a mesh of CPUs
device = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group("nccl" if device == "cuda" else "gloo")
if device == "cuda":
    torch.cuda.set_device(dist.get_rank())
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
for layer in (model[0], model[2]):
    fully_shard(layer, mesh=init_device_mesh(device, (2,)))
fully_shard(model, mesh=init_device_mesh(device, (2,)))
model.to_empty(device=device)
for layer in (model[0], model[2]):
    layer.reset_parameters()
optimizer = torch.optim.AdamW(model.parameters())


def step():
    model(torch.ones(4, 8, device=device)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


step()
weights, states = get_state_dict(model, optimizer)
dcp.save({"model": weights, "optimizer": states}, checkpoint_id="checkpoint")
weights, states = get_state_dict(model, optimizer)
dcp.load({"model": weights, "optimizer": states}, checkpoint_id="checkpoint")
set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=states)
step()
assert model[0].weight.to_local().shape == (8, 8)
assert optimizer.state[model[0].weight]["exp_avg"].to_local().shape == (8, 8)
whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
assert bool(whole) == (dist.get_rank() == 0)
assert all(value.device.type == "cpu" and value.dtype == torch.float32 for value in whole.values())
