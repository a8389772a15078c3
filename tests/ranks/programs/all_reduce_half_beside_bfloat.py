# ranks: 2
# machine: cpu
# real: errors
# Both have 16 bits: gloo adds them up without a word, and the program itself notices.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
dtype = torch.float16 if dist.get_rank() == 0 else torch.bfloat16
# fixed: dtype = torch.bfloat16
x = torch.ones(4).to(dtype)
dist.all_reduce(x)  # finding: collective-dtype-mismatch
assert x.tolist() == [2.0] * 4
