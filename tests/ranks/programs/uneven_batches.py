# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
batches = [torch.randn(2, 4) for _ in range(3 - dist.get_rank())]
# fixed: batches = [torch.randn(2, 4) for _ in range(2)]
for batch in batches:
    loss = batch.mean()
    dist.all_reduce(loss)  # finding: collective-never-reached
