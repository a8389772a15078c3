"""Tensor parallelism: each rank holds a part of a weight, and the ranks add up, or join, what they computed with theirs.

Started as one process, without torchrun, every part is the whole.
"""

import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn


def join_ranks():
    """Meet the other processes that torchrun started; returns the device of this one."""
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("mps" if mps else "cpu")
    if cuda:
        torch.cuda.set_device(device)
    if "RANK" in os.environ:
        dist.init_process_group("nccl" if cuda else "gloo")
    return device


def leave_ranks():
    if dist.is_initialized():
        dist.destroy_process_group()


def rank():
    return dist.get_rank() if dist.is_initialized() else 0


def world():
    return dist.get_world_size() if dist.is_initialized() else 1


def say(text):
    if rank() == 0:
        print(text, flush=True)


def from_rank_0(batch, device):
    """The tensors that rank 0 has, by name, on every rank: first what there is, then each. None where it has no more."""
    if world() == 1:
        return batch and {name: tensor.to(device) for name, tensor in batch.items()}
    kinds = [batch and {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in batch.items()}]
    dist.broadcast_object_list(kinds, src=0)
    if kinds[0] is None:
        return None
    tensors = {}
    for name, (shape, dtype) in kinds[0].items():
        tensors[name] = batch[name].to(device) if rank() == 0 else torch.empty(shape, dtype=dtype, device=device)
        dist.broadcast(tensors[name], src=0)
    return tensors


class CopyToRanks(torch.autograd.Function):
    """Into the parts: all ranks have the input already; of its gradient each has only what came through its part."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient)
        return gradient


class ReduceFromRanks(torch.autograd.Function):
    """Out of the parts, by a sum."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class GatherFromRanks(torch.autograd.Function):
    """Out of the parts, side by side in the last dimension."""

    @staticmethod
    def forward(ctx, x):
        x = x.contiguous()
        parts = [torch.empty_like(x) for _ in range(world())]
        dist.all_gather(parts, x)
        return torch.cat(parts, dim=-1)

    @staticmethod
    def backward(ctx, gradient):
        return gradient.chunk(world(), dim=-1)[rank()].contiguous()


def copy_to_ranks(x):
    return CopyToRanks.apply(x) if world() > 1 else x


def reduce_from_ranks(x):
    return ReduceFromRanks.apply(x) if world() > 1 else x


def gather_from_ranks(x):
    return GatherFromRanks.apply(x) if world() > 1 else x


def whole_weight(rows, columns):
    """The same on every rank, as all have the same seed."""
    return torch.randn(rows, columns) * columns**-0.5


class ColumnParallelLinear(nn.Module):
    """The output is split: (…, columns) to (…, rows / world). `blocks` weights on top of each other are split alike."""

    def __init__(self, columns, rows, bias=True, blocks=1):
        super().__init__()
        self.blocks = blocks
        self.weight = nn.Parameter(self.own(whole_weight(rows, columns)))
        self.bias = nn.Parameter(self.own(torch.zeros(rows))) if bias else None

    def own(self, whole):
        return whole.unflatten(0, (self.blocks, -1)).chunk(world(), dim=1)[rank()].flatten(0, 1).clone()

    def forward(self, x):
        return F.linear(copy_to_ranks(x), self.weight, self.bias)


class RowParallelLinear(nn.Module):
    """The input is split: (…, columns / world) to (…, rows). The bias is added once, to the sum."""

    def __init__(self, columns, rows, bias=True):
        super().__init__()
        self.weight = nn.Parameter(whole_weight(rows, columns).chunk(world(), dim=1)[rank()].clone())
        self.bias = nn.Parameter(torch.zeros(rows)) if bias else None

    def forward(self, x):
        out = reduce_from_ranks(F.linear(x, self.weight))
        return out if self.bias is None else out + self.bias


class WholeLinear(nn.Module):
    """Not split, where the ranks are too many: each holds all of it, and computes the same."""

    def __init__(self, columns, rows):
        super().__init__()
        self.weight = nn.Parameter(whole_weight(rows, columns))

    def forward(self, x):
        return F.linear(x, self.weight)
