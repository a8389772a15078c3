# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2 if dist.get_rank() else 3):
    # fixed: for step in range(2):
    model(torch.randn(2, 4)).sum().backward()  # finding: collective-never-reached
    optimizer.step()
    optimizer.zero_grad()
