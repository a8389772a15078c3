# ranks: 2
# machine: cpu
# real: hangs
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
model = torch.nn.Linear(4, 4)
if dist.get_rank() == 0:
    torch.save(model.state_dict(), "model.pt")
    dist.barrier()  # earlier
    # fixed: pass
dist.barrier()  # other  # earlier
loss = torch.ones(1)
dist.all_reduce(loss)  # finding: collective-call-mismatch
assert loss.item() == 2
