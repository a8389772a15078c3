"""Ranks pass tensors on different kinds of devices to one collective.

## What it does
One rank passes a CPU tensor and another a GPU tensor, in a process group that has a backend for each
(`cpu:gloo,cuda:nccl`, which `init_process_group()` creates without a `backend`).

## Why is this bad?
torch selects the backend by the tensor's device. The CPU tensor goes to gloo and the GPU tensor to NCCL, so the two
ranks wait for each other forever.

## Example
    total = torch.tensor(0.0) if rank == 0 else torch.zeros((), device="cuda")
    dist.all_reduce(total)

## Use instead
    total = torch.zeros((), device=device)

## Fix safety
Safe: moving a tensor changes no value.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.finding import Finding, Fix
from ...core.meeting import Collective, MultiRankTrace, calls_differ, devices_differ
from ..findings.collective_wording import make_finding, of_ranks, sides, spelled


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """Meetings whose tensors are on different kinds of devices."""
    for meeting in world.meetings:
        if calls_differ(meeting) or not devices_differ(meeting):
            continue
        odd, most = sides(meeting, _kind)
        message = (
            f"{spelled(odd[0])} gets a {_kind(odd[0])} tensor on {of_ranks(odd)} "
            f"but a {_kind(most[0])} tensor on {of_ranks(most)}"
        )
        fix = Fix(title=f"move it to its rank's device before {odd[0].op}")
        effect = f"the run hangs until the timeout: each device has its own backend ({odd[0].backend})"
        yield make_finding(
            __name__,
            meeting,
            (odd[0], most[0]),
            message,
            effect=effect,
            fixes=(fix,),
            about="device",
            tensors=True,
        )


def _kind(one: Collective) -> str:
    return one.tensor.device.partition(":")[0] if one.tensor is not None else ""
