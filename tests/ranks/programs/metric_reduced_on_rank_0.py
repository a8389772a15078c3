# ranks: 2
# machine: cpu
# real: errors
# The rank that logs reduces the metric, and waits for the others.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
accuracy = torch.tensor(0.5)
if dist.get_rank() == 0:
    # fixed: if True:
    dist.reduce(accuracy, dst=0)  # finding: collective-never-reached
if dist.get_rank() == 0:
    print(accuracy.item() / 2)
