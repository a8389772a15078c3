# ranks: 2
# machine: cpu
# real: errors
# Rank 1 has no masks in its batch, so its mask head gets no gradient and its buckets are never reduced.
import torch
import torch.distributed as dist
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.boxes, self.masks = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, with_masks):
        return self.boxes(x) + self.masks(x) if with_masks else self.boxes(x)


dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(Detector())
# fixed: model = nn.parallel.DistributedDataParallel(Detector(), find_unused_parameters=True)
model(torch.randn(2, 4), dist.get_rank() == 0).sum().backward()  # finding: collective-never-reached
