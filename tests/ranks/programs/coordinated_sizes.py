# ranks: 3
# machine: cpu
# real: errors
# Sizes, objects and flags of other ranks steer the program: they must be the real ones.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
names = [None] * size
dist.all_gather_object(names, f"rank{rank}")
assert names == ["rank0", "rank1", "rank2"]
got = [None]
dist.scatter_object_list(got, [[1], [2], [3]] if rank == 0 else None, src=0)
assert got == [[rank + 1]]
gathered = [None] * size if rank == 1 else None
dist.gather_object(rank, gathered, dst=1)
assert gathered == ([0, 1, 2] if rank == 1 else None)
stop = torch.tensor([1 if rank == 2 else 0])
dist.all_reduce(stop, op=dist.ReduceOp.MAX)
assert stop.item() == 1
mine = torch.arange(rank + 1.0)
sizes = torch.zeros(size, dtype=torch.int64)
dist.all_gather_into_tensor(sizes, torch.tensor([len(mine)]))
assert sizes.tolist() == [1, 2, 3]
total = torch.empty(2)
dist.reduce_scatter(total, [torch.ones(2)] * size)
assert total.tolist() == [3.0, 3.0]
ring = torch.zeros(1)
work = [dist.isend(torch.tensor([float(rank)]), (rank + 1) % size), dist.irecv(ring, (rank - 1) % size)]
for one in work:
    one.wait()
assert ring.item() == (rank - 1) % size
pair = dist.new_group([0, 2])
if rank != 1:
    x = torch.tensor([1.0 + rank])
    dist.all_reduce(x, group=pair)
    assert x.item() == 4
value = torch.tensor([7.0 if rank == 2 else 0.0])
dist.broadcast(value, src=2)
assert value.item() == 7
if rank == 0:
    # fixed: if True:
    dist.monitored_barrier() if False else dist.barrier()  # finding: collective-never-reached
