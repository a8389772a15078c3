# ranks: 2
# machine: 2xa100
# real: errors
# Stages of a pipeline on two ranks; the second one is in half precision, and nothing casts in between.
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

device = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group("nccl" if device == "cuda" else "gloo")
rank = dist.get_rank()
here = torch.device(device, rank) if device == "cuda" else torch.device(device)
if device == "cuda":
    torch.cuda.set_device(rank)
layers = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)).to(here)
if rank == 1:
    layers.half()
    # fixed: layers.float()
stage = PipelineStage(layers, rank, 2, here)
schedule = Schedule1F1B(stage, n_microbatches=4, loss_fn=nn.functional.mse_loss)
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for _ in range(2):
    if rank == 0:
        schedule.step(torch.randn(8, 8, device=here))
    else:
        losses = []
        target = torch.randn(8, 8, device=here, dtype=layers[2].weight.dtype)
        out = schedule.step(target=target, losses=losses)  # finding: operand-dtype-mismatch  # only: 1
        assert out.shape == (8, 8)
        assert len(losses) == 4
    optimizer.step()
    optimizer.zero_grad()
