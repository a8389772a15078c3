# machine: 2xv100
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
total = torch.tensor([1.0, 2.0])  # origin
# fixed: total = torch.tensor([1.0, 2.0], device="cuda")
dist.all_reduce(total)  # finding: operand-device-mismatch all_reduce tensor
