"""Ranks of one process group make different collective calls at the same time.

## What it does
A process group matches the first call of each rank with the first call of every other rank, the second with the second,
and so on. Here one rank calls a different collective, or the same one with a different root, reduction or group.

## Why is this bad?
Calls carry no label that says which call of another rank they belong to. A collective inside `if rank == 0`, a branch
on a value that differs between ranks, or a root that each rank computes for itself shifts all later calls. The run
hangs until the timeout (10 minutes with NCCL, 30 with gloo), or data of different calls gets mixed.

## Example
    if rank == 0:
        torch.save(model.state_dict(), "model.pt")
        dist.barrier()                                   # the others are in all_reduce by now

## Use instead
    if rank == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.barrier()

## Fix safety
No automatic fix: only the author knows where the call belongs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.finding import Finding, Fix
from ...core.meeting import Collective, MultiRankTrace, calls_differ
from ..findings.collective_wording import detail, make_finding, of_ranks, sides, spelled


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """Meetings at which ranks make different calls."""
    for meeting in world.meetings:
        if not calls_differ(meeting):
            continue
        odd, most = sides(meeting, _full)
        same = [one for one in odd if _full(one) == _full(odd[0])]
        calls = (spelled, _full)[odd[0].op == most[0].op]
        verb = "calls" if len(same) == 1 else "call"
        message = f"{of_ranks(same)} {verb} {calls(odd[0])} where {of_ranks(most)} {_call(most)} {calls(most[0])}"
        if odd[0].op == most[0].op:
            fix = Fix(
                title=f"give {odd[0].op} the same {_differing(odd[0], most[0])} on every rank"
            )
        else:
            fix = Fix(
                title="make the same calls in the same order on every rank, not inside `if rank == …`"
            )
        effect = (
            f"the run hangs, or mixes data of different calls: {detail(odd[0].backend)}"
        )
        yield make_finding(
            __name__, meeting, (odd[0], most[0]), message, effect=effect, fixes=(fix,)
        )


def _full(one: Collective) -> str:
    return spelled(one, full=True)


def _call(several: list[Collective]) -> str:
    return "calls" if len(several) == 1 else "call"


def _differing(one: Collective, other: Collective) -> str:
    others = dict(other.arguments)
    names = [name for name, value in one.arguments if others.get(name) != value]
    return " and ".join(f"`{name}`" for name in names) or "arguments"
