# ranks: 2
# machine: 2xa100
# real: errors
# Rank 0 saves a checkpoint in half precision, and all load it; each rank has saved a file of its own before.
import torch
import torch.distributed as dist

device = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group("nccl" if device == "cuda" else "gloo")
rank = dist.get_rank()
here = torch.device(device, rank) if device == "cuda" else torch.device(device)
if device == "cuda":
    torch.cuda.set_device(rank)
torch.save({"rank": rank}, f"rank-{rank}.pt")
model = torch.nn.Linear(4, 2).to(here)
if rank == 0:
    state = {name: value.half() for name, value in model.state_dict().items()}
    # fixed: state = model.state_dict()
    torch.save({"model": state, "step": torch.tensor(3)}, "last.pt")
dist.barrier()
loaded = torch.load("last.pt", map_location=here)
assert loaded["step"].item() == 3
assert torch.load(f"rank-{1 - rank}.pt") == {"rank": 1 - rank}
model.load_state_dict(loaded["model"], assign=True)
assert model.weight.device == here
model(torch.ones(3, 4, device=here)).sum().backward()  # finding: operand-dtype-mismatch
