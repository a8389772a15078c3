# ranks: 2
# machine: cpu
# real: errors
# Experts: each rank sends 1 token to rank 0 and 3 to rank 1.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
tokens = torch.arange(4.0).reshape(4, 1)
takes = [2, 2]
# fixed: takes = [1, 1] if dist.get_rank() == 0 else [3, 3]
out = torch.empty(sum(takes), 1)
dist.all_to_all_single(out, tokens, takes, [1, 3])  # finding: collective-size-mismatch
expected = [0.0, 0.0] if dist.get_rank() == 0 else [1.0, 2.0, 3.0] * 2
assert out.flatten().tolist() == expected
