# ranks: 2
# machine: 2xa100
# The program starts its ranks itself: each rank of the world runs its own.
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, size):
    dist.init_process_group("nccl", rank=rank, world_size=size)
    torch.cuda.set_device(rank)
    x = torch.ones(rank + 1, device="cuda")
    # fixed: x = torch.ones(1, device="cuda")
    dist.all_reduce(x)  # finding: collective-size-mismatch
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, args=(2,), nprocs=2)
