# ranks: 2
# machine: cpu
# real: errors
# The configuration is read by rank 0; the others must get it, to make the same model.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
config = [None]
if dist.get_rank() == 0:
    config = [{"dtype": "bfloat16", "width": 6}]
pass
# fixed: dist.broadcast_object_list(config, src=0)
config = config[0] or {"dtype": "float32", "width": 6}
x = torch.ones(config["width"]).to(getattr(torch, config["dtype"]))
dist.all_reduce(x)  # finding: collective-dtype-mismatch
assert x.sum().item() == 12
