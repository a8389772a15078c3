"""Ranks meet in one collective with tensors of different sizes.

## What
What one rank sends has another number of elements than the other rank takes.

## Why
Backends compare no sizes across ranks: NCCL hangs or writes past what was sent, gloo aborts. Data that does not divide
by the number of ranks is the usual reason: the last batch of one rank is smaller, and its features are gathered.

## Example
    parts = [torch.empty_like(features) for _ in range(world_size)]
    dist.all_gather(parts, features)                     # 4 rows on rank 0, 3 on rank 1

## Use instead
    sizes = [torch.zeros(1, dtype=torch.int64, device=device) for _ in range(world_size)]
    dist.all_gather(sizes, torch.tensor([len(features)], device=device))
    padded = F.pad(features, (0, 0, 0, max(map(int, sizes)) - len(features)))

## Fix safety
Padding changes no number, as long as the padding is cut off again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..finding import Finding, Fix
from ..findings.collective_wording import detail, make_finding, spelled
from ..meeting import (
    Collective,
    MultiRankTrace,
    calls_differ,
    counts_differ,
    dtypes_differ,
)


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
            f"rank {taker.rank} takes {taken:,}{_shape(taker)}"
        )
        fix = Fix(
            title="pad to the largest size of all ranks, and gather the sizes first"
        )
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
        return f"the run hangs, or goes on with wrong numbers: {detail(one.backend)}"
    return f"gloo aborts (op.preamble.length <= op.nbytes), or leaves a part unwritten: {detail(one.backend)}"
