# machine: 2xv100
import torch
import torch.distributed as dist

dist.init_process_group(backend="nccl", init_method="tcp://127.0.0.1:29512", world_size=2, rank=0)
n = dist.get_world_size()
x = torch.arange(4.0, device="cuda")
parts = [torch.empty_like(x) for _ in range(n)]
dist.all_gather(parts, x)
out = torch.empty(n * 4, device="cuda")
dist.all_gather_into_tensor(out, x)
small = torch.empty(2, device="cuda")
dist.reduce_scatter_tensor(small, x)
work = dist.all_reduce(x, async_op=True)
work.wait()
dist.broadcast(x, src=0)
objects = [None] * n
dist.all_gather_object(objects, {"loss": 1.0})
assert objects == [{"loss": 1.0}] * 2
values = [torch.Size([2]), "hi"]
dist.broadcast_object_list(values, src=0)
group = dist.new_group([0, 1])
dist.all_reduce(x, group=group)
torch.cat(parts).sum().item()
dist.barrier()
