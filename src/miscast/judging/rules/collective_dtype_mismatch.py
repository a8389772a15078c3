"""Ranks pass tensors of different dtypes to one collective.

## What it does
All ranks of a process group call the same collective, or two ranks send and receive, and one rank passes a tensor of
another dtype.

## Why is this bad?
No backend compares dtypes. Each rank transfers bytes at the width of its own dtype. NCCL hangs or returns wrong sums;
gloo aborts, or silently reads float16 as bfloat16. It happens where the dtype depends on the rank: an option given to
one node only, a checkpoint loaded by one rank, a loss that one rank computed outside autocast.

## Example
    loss = model(x).half() if rank == 1 else model(x)
    dist.all_reduce(loss)                                # float32 on rank 0, float16 on rank 1

## Use instead
    loss = model(x).float()
    dist.all_reduce(loss)

## Fix safety
Safe if every value is preserved: all ranks cast to the wider dtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...core.dtypes import facts
from ...core.finding import Finding, Fix
from ...core.meeting import Collective, MultiRankTrace, calls_differ, dtypes_differ
from ..findings.collective_wording import detail, make_finding, of_ranks, sides, spelled


def across(world: MultiRankTrace) -> Iterator[Finding]:
    """Meetings whose tensors differ in dtype."""
    for meeting in world.meetings:
        if calls_differ(meeting) or not dtypes_differ(meeting):
            continue
        odd, most = sides(meeting, _dtype)
        message = f"{spelled(odd[0])} gets {_dtype(odd[0])} on {_which(odd)} but {_dtype(most[0])} on {of_ranks(most)}"
        finding = make_finding(
            __name__,
            meeting,
            (odd[0], most[0]),
            message,
            effect=_effect(odd[0], most[0]),
            fixes=_fixes(odd[0], most[0]),
            tensors=True,
        )
        wide = _wide(odd[0], most[0])
        narrow = next(
            (one.name for one in finding.operands if one.tensor.dtype != wide), ""
        )
        yield replace(finding, blamed=narrow, wanted=wide)


def _dtype(one: Collective) -> str:
    return one.tensor.dtype if one.tensor is not None else ""


def _which(odd: list[Collective]) -> str:
    return of_ranks([one for one in odd if _dtype(one) == _dtype(odd[0])])


def _effect(odd: Collective, like: Collective) -> str:
    widths = facts(_dtype(odd)).bits, facts(_dtype(like)).bits
    if "nccl" in odd.backend:
        return f"the run hangs, or continues with wrong values: {detail(odd.backend)}"
    if widths[0] != widths[1]:
        return (
            "gloo aborts (op.preamble.length <= op.nbytes), or leaves part of the result unwritten: "
            f"{detail(odd.backend)}"
        )
    return (
        f"the bytes of one dtype are silently read as the other: {detail(odd.backend)}"
    )


def _fixes(odd: Collective, like: Collective) -> tuple[Fix, ...]:
    return (
        Fix(title=f"cast on every rank before {odd.op}: .to(torch.{_wide(odd, like)})"),
    )


def _wide(odd: Collective, like: Collective) -> str:
    return max((_dtype(odd), _dtype(like)), key=lambda name: facts(name).bits)
