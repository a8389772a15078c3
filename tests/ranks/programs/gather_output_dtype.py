# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
logits = torch.randn(4, 2, dtype=torch.bfloat16)  # other-origin
out = torch.empty(8, 2)  # origin
# fixed: out = torch.empty(8, 2, dtype=logits.dtype)
dist.all_gather_into_tensor(out, logits)  # finding: operand-dtype-mismatch
