"""Two ranks bring tensors of the same GPU to NCCL.

## What
Every rank needs a GPU of its own. Here the tensors of two ranks are on one.

## Why
"cuda" is the current device, and that is 0 on every rank until `torch.cuda.set_device` says otherwise. All ranks then
fill one GPU, and NCCL refuses to talk to itself.

## Example
    dist.init_process_group("nccl")
    model = Net().cuda()                                 # cuda:0 on all ranks

## Use instead
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = Net().cuda()

## Fix safety
Safe: it only says where tensors are.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..finding import Finding, Fix
from ..findings.collective_wording import make_finding, spelled
from ..meeting import MultiRankTrace, device_is_shared


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """The first meeting of each pair of ranks on one GPU."""
    told: set[tuple[int, int]] = set()
    for meeting in world.meetings:
        pair = device_is_shared(meeting)
        if pair is None or (pair[0].rank, pair[1].rank) in told:
            continue
        first, second = pair
        told.add((first.rank, second.rank))
        device = first.tensor.device if first.tensor is not None else ""
        message = f"{spelled(second)}: rank {second.rank} is on {device}, as rank {first.rank} is"
        fix = Fix(
            title='call torch.cuda.set_device(int(os.environ["LOCAL_RANK"])) before anything is moved'
        )
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
            fixes=(fix,),
            about="device",
            tensors=True,
        )
