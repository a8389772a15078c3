"""The collectives as lanes: a row for each collective call, a mark for each rank that joined it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.event import Location
from ...core.meeting import Met
from ..wording import place

if TYPE_CHECKING:
    from ..report import Report

_RANKS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One rank at one call: "came", "apart" (it fits, from another line), "other" call, "absent", "out"."""

    kind: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A collective call, `count` times in a row."""

    op: str
    at: str
    code: str
    dtype: str
    count: int
    fits: bool
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """All calls; `ranks` are those that have a lane."""

    ranks: tuple[int, ...]
    hidden: int
    meetings: tuple[Meeting, ...]
    matched: int


def lanes(report: Report) -> Lanes | None:
    """Return the lanes; None for a single process, or if no collective was called."""
    if not report.met:
        return None
    ranks = tuple(range(min(report.ranks, _RANKS)))
    return Lanes(
        ranks=ranks,
        hidden=report.ranks - len(ranks),
        meetings=tuple(_meeting(one, ranks) for one in report.met),
        matched=report.matched,
    )


def _meeting(met: Met, ranks: tuple[int, ...]) -> Meeting:
    usual = next((at for at in met.at if at is not None), None)
    return Meeting(
        op=met.op,
        at=place(usual) if usual else "",
        code=usual.code if usual else "",
        dtype=met.dtype,
        count=met.count,
        fits=met.fits,
        stops=tuple(_stops(met, usual, ranks)),
    )


def _stops(met: Met, usual: Location | None, ranks: tuple[int, ...]) -> Iterator[Stop]:
    here = dict(zip(met.ranks, zip(met.at, met.said, strict=True), strict=True))
    for rank in ranks:
        if rank not in here:
            yield Stop(kind="out", told=f"rank {rank} is not in this group")
            continue
        at, said = here[rank]
        if at is None:
            yield Stop(kind="absent", told=f"rank {rank} never arrived")
        else:
            same = usual is not None and (at.file, at.line) == (usual.file, usual.line)
            other = not met.fits and said != met.op
            kind = "other" if other else "came" if same else "apart"
            yield Stop(kind=kind, told=f"rank {rank}: {said} at {place(at)}")
