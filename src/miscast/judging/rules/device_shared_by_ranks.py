"""Two ranks use the same GPU with NCCL.

## What it does
Every rank needs its own GPU. Here the tensors of two ranks are on the same one.

## Why is this bad?
"cuda" means the current device, which is 0 on every rank until `torch.cuda.set_device` is called. All ranks then fill
one GPU, and NCCL raises an error.

## Example
    dist.init_process_group("nccl")
    model = Net().cuda()                                 # cuda:0 on all ranks

## Use instead
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = Net().cuda()

## Fix safety
Safe: only the location of tensors changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.finding import Finding
from ...core.meeting import MultiRankTrace, device_is_shared
from ..findings.collective_wording import make_finding, spelled
from ..findings.rank_merge import SET_DEVICE


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """Yield the first meeting of each pair of ranks on one GPU."""
    told: set[tuple[int, int]] = set()
    for meeting in world.meetings:
        pair = device_is_shared(meeting)
        if pair is None or (pair[0].rank, pair[1].rank) in told:
            continue
        first, second = pair
        told.add((first.rank, second.rank))
        device = first.tensor.device if first.tensor is not None else ""
        message = f"{spelled(second)}: rank {second.rank} is on {device}, like rank {first.rank}"
        effect = (
            f"ncclInvalidUsage: Duplicate GPU detected : rank {second.rank} "
            f"and rank {first.rank} both on CUDA device"
        )
        yield make_finding(
            __name__,
            meeting,
            (second, first),
            message,
            effect=effect,
            fixes=(SET_DEVICE,),
            about="device",
            tensors=True,
        )
