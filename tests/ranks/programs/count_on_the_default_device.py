# ranks: 2
# machine: 2xa100
# "cuda" is cuda:0 on every rank, the model's tensors are on the rank's own GPU.
import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))

# fixed: torch.cuda.set_device(device)
right = torch.zeros((), device="cuda")  # origin
images = torch.ones(4, device=device)  # other-origin
right += (images > 0).sum()  # finding: operand-device-mismatch  # only: 1
dist.all_reduce(right)  # follows
