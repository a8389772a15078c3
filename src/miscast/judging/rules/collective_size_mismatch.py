"""Ranks pass tensors of different sizes to one collective.

## What it does
The number of elements that one rank sends differs from the number that another rank receives.

## Why is this bad?
Backends do not compare sizes across ranks. NCCL hangs or writes past the end of the data; gloo aborts. The usual cause
is data that does not divide evenly by the number of ranks: one rank's last batch is smaller, and its features are
gathered.

## Example
    parts = [torch.empty_like(features) for _ in range(world_size)]
    dist.all_gather(parts, features)                     # 4 rows on rank 0, 3 on rank 1

## Use instead
    sizes = [torch.zeros(1, dtype=torch.int64, device=device) for _ in range(world_size)]
    dist.all_gather(sizes, torch.tensor([len(features)], device=device))
    padded = F.pad(features, (0, 0, 0, max(map(int, sizes)) - len(features)))

## Fix safety
Padding changes no value if it is cut off again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.finding import Finding, Fix
from ...core.meeting import (
    Collective,
    MultiRankTrace,
    calls_differ,
    counts_differ,
    dtypes_differ,
)
from ..findings.collective_wording import detail, make_finding, spelled


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """Meetings whose tensors differ in size."""
    for meeting in world.meetings:
        pair = (
            None if calls_differ(meeting) or meeting.absent else counts_differ(meeting)
        )
        if pair is None or dtypes_differ(meeting):
            continue
        sender, taker = pair
        there, here = taker.ranks.index(taker.rank), sender.ranks.index(sender.rank)
        sent, taken = sender.sends[there], taker.takes[here]
        message = (
            f"{spelled(sender)}: rank {sender.rank} sends {_elements(sent)}{_shape(sender)}, "
            f"rank {taker.rank} expects {taken:,}{_shape(taker)}"
        )
        fix = Fix(title="gather the sizes first, then pad to the largest of all ranks")
        yield make_finding(
            __name__,
            meeting,
            (taker, sender),
            message,
            effect=_effect(sender),
            fixes=(fix,),
            tensors=True,
        )


def _elements(count: int) -> str:
    return f"{count:,} element{'' if count == 1 else 's'}"


def _shape(one: Collective) -> str:
    return f" {list(one.tensor.shape or ())}" if one.tensor is not None else ""


def _effect(one: Collective) -> str:
    if "nccl" in one.backend:
        return f"the run hangs, or continues with wrong values: {detail(one.backend)}"
    return (
        "gloo aborts (op.preamble.length <= op.nbytes), or leaves part of the result unwritten: "
        f"{detail(one.backend)}"
    )
