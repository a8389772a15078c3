# ranks: 2
# machine: cpu
# real: errors
# The same ranks differ twice, each time by a line of its own.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
features, loss = torch.ones(4), torch.ones(1)
if dist.get_rank() == 1:
    features = features.half()
    # fixed: features = features.float()
    loss = loss.half()
    # fixed: loss = loss.float()
dist.all_reduce(features)  # finding: collective-dtype-mismatch
dist.all_reduce(loss)  # finding: collective-dtype-mismatch
