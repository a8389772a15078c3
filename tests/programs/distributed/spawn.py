# machine: 4xv100
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def worker(rank, size):
    dist.init_process_group("nccl", rank=rank, world_size=size)
    torch.cuda.set_device(rank)
    model = nn.parallel.DistributedDataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))).cuda(rank), device_ids=[rank])
    model(torch.randn(8, 4).cuda(rank)).sum().backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, args=(1,), nprocs=1)
