"""A rank waits in a collective that another rank never calls.

## What it does
Some ranks of a process group are in a collective, or one rank sends or receives, while another rank has ended or waits
somewhere else forever.

## Why is this bad?
A collective completes only when all ranks have called it. Common causes are a `return` or `break` that one rank takes,
a loop that is shorter on a rank with fewer batches, a barrier inside `if rank == 0`, and two ranks that each wait for
what the other would send later. The run hangs until the timeout. The error then names the call that waited, not the
rank that is missing.

## Example
    for batch in loader:                                 # 3 batches on rank 0, 2 on rank 1
        loss = model(batch)
        dist.all_reduce(loss)                            # rank 0 waits forever

## Use instead
    with Join([model]): …                                # or a DistributedSampler, for equal numbers of batches

## Fix safety
No automatic fix: only the author knows which rank should do more or less.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.finding import Finding, Fix
from ...core.meeting import P2P, Collective, CollectiveRound, MultiRankTrace, ranks
from ..findings.collective_wording import detail, make_finding, of_ranks, spelled


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """Meetings that somebody never came to."""
    for meeting in world.meetings:
        if not meeting.absent or not meeting.present:
            continue
        waiting = meeting.present
        shown = [waiting[0], *(one for one in meeting.instead if one is not None)]
        effect = f"the run hangs until the timeout: {detail(waiting[0].backend)}"
        yield make_finding(
            __name__,
            meeting,
            shown,
            _message(meeting, waiting),
            effect=effect,
            fixes=_fixes(meeting),
        )


def _message(meeting: CollectiveRound, waiting: tuple[Collective, ...]) -> str:
    first = waiting[0]
    missing = ranks(meeting.absent)
    instead = [one for one in meeting.instead if one is not None]
    why = f"waits in {spelled(instead[0])}" if instead else "has ended"
    if len(meeting.absent) > 1:
        why = why.replace("waits", "wait").replace("has", "have")
    if first.op in P2P:
        done = "received by" if first.op in ("send", "isend") else "sent by"
        return f"{spelled(first)} of rank {first.rank} is never {done} {missing}, which {why}"
    verb = "waits" if len(waiting) == 1 else "wait"
    return f"{of_ranks(waiting)} {verb} in {spelled(first)}, but {missing} {why}"


def _fixes(meeting: CollectiveRound) -> tuple[Fix, ...]:
    first = meeting.present[0]
    if first.op in P2P and any(meeting.instead):
        title = "let one of the two ranks receive first, or use isend and irecv (batch_isend_irecv)"
    elif first.op in P2P:
        title = "match every send with a receive on the other rank"
    else:
        title = (
            f"call {first.op} equally often on every rank: not inside `if rank == …`, nor in a loop whose "
            "length differs"
        )
    return (Fix(title=title),)
