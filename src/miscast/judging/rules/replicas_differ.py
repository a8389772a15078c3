"""Ranks wrap models whose parameters differ.

## What it does
DistributedDataParallel and FSDP expect the models of all ranks to be copies. Here one rank's parameters differ in
number, shape or dtype.

## Why is this bad?
DDP compares number and shapes when it wraps the model, and raises. It does not compare dtypes: the first broadcast of
the weights then transfers bytes of different widths, and hangs, aborts or fills the weights with wrong numbers. The
usual cause is an option such as `--fp16` that reached only one rank.

## Example
    model = Net()
    if args.fp16:                                        # given to rank 1 only
        model.half()
    model = DistributedDataParallel(model)

## Use instead
    fp16 = [args.fp16]
    dist.broadcast_object_list(fp16, src=0)              # one rank decides for all

## Fix safety
No automatic fix: only the author knows which of the models is intended.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.finding import Finding, Fix
from ...core.meeting import (
    Collective,
    CollectiveRound,
    MultiRankTrace,
    Part,
    calls_differ,
)
from ..findings.collective_wording import make_finding, of_ranks, sides


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """Meetings at which models are compared, and differ."""
    for meeting in world.meetings:
        if calls_differ(meeting) or meeting.absent:
            continue
        odd, most = sides(meeting, _layout)
        if odd:
            yield _told(meeting, odd, most)


def _layout(one: Collective) -> object:
    return tuple((part.tensor.dtype, part.tensor.shape) for part in one.parts)


def _told(
    meeting: CollectiveRound, odd: list[Collective], most: list[Collective]
) -> Finding:
    one, other = odd[0], most[0]
    if len(one.parts) != len(other.parts):
        what = f"{len(one.parts)} parameters on {of_ranks(odd)}, {len(other.parts)} on {of_ranks(most)}"
        low, high = sorted((one, other), key=lambda side: side.rank)
        effect = (
            f"RuntimeError: DDP expects same model across all ranks, but Rank {low.rank} has {len(low.parts)} params, "
            f"while rank {high.rank} has inconsistent {len(high.parts)} params."
        )
    else:
        first, second = next(
            pair for pair in zip(one.parts, other.parts, strict=True) if _differ(*pair)
        )
        what = f"`{first.name}` is {_spelled(first)} on {of_ranks(odd)}, {_spelled(second)} on {of_ranks(most)}"
        shapes = first.tensor.shape != second.tensor.shape
        effect = _SHAPES if shapes else _DTYPES
    fix = Fix(
        title="let one rank decide on the model and broadcast the decision: broadcast_object_list"
    )
    return make_finding(
        __name__,
        meeting,
        (one, other),
        f"{one.op}: {what}",
        effect=effect,
        fixes=(fix,),
    )


_DTYPES = (
    "the weights of rank 0 are sent as bytes: the run hangs, aborts, or fills the weights of other ranks "
    "with garbage"
)
_SHAPES = (
    "RuntimeError: params[…] in this process with sizes […] "
    "appears not to match sizes of the same param in process 0."
)


def _differ(one: Part, other: Part) -> bool:
    first, second = one.tensor, other.tensor
    return (first.dtype, first.shape) != (second.dtype, second.shape)


def _spelled(part: Part) -> str:
    return f"{part.tensor.dtype} {list(part.tensor.shape or ())}"
