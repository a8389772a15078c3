"""Memory over the run: a stacked chart of the kinds for each device, and the line of the peak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...core.event import MEMORY_KINDS, Memory
from ...core.meeting import ranks
from ..wording import place

WIDE, TALL = 1000.0, 200.0
_ROOM = 1.06
_DEVICES = 16
_LABELS = {"optimizer": "optimizer state"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """One kind of memory: its outline, and its size at the peak."""

    kind: str
    label: str
    held: str
    outline: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A device. `peak_at` and `limit` are coordinates on the chart, None if they are outside it."""

    device: str
    peak: str
    capacity: str
    share: str
    at: str
    code: str
    areas: tuple[Area, ...]
    top: str
    half: str
    ops: str
    peak_at: float | None
    limit: float | None


def charts(held: Sequence[Memory]) -> list[Chart]:
    """Return one chart for each device; ranks with equal memory share one."""
    told = [one for one in held if one.capacity] or list(held)
    alike: dict[tuple[object, ...], list[Memory]] = {}
    for one in told:
        alone = one.rank is None
        key = (one.device if alone else "", replace(one, device="", rank=None))
        alike.setdefault((*key, one.course), []).append(one)
    return [_chart(those) for those in list(alike.values())[:_DEVICES]]


def size(count: int) -> str:
    """Return bytes with a unit: "4.78 GiB"."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << shift:
            amount = count / (1 << shift)
            if amount < 10:
                return f"{amount:.2f} {unit}"
            if amount >= 100:
                return f"{amount:,.0f} {unit}"
            return f"{amount:.1f} {unit}"
    return f"{count} B"


def _chart(those: Sequence[Memory]) -> Chart:
    one = those[0]
    peaks = [getattr(one, kind) for kind in MEMORY_KINDS]
    most = max([one.peak, *(sum(sample[1:]) for sample in one.course)]) or 1
    limit = one.capacity if one.capacity <= most * 2 else 0
    top = max(most, limit) * _ROOM
    end = max((sample[0] for sample in one.course), default=0)
    share, capacity = "", ""
    if one.capacity:
        share, capacity = f"{one.peak / one.capacity:.0%}", size(one.capacity)
    return Chart(
        device=_device(those),
        peak=size(one.peak),
        capacity=capacity,
        share=share,
        at=place(one.location) if one.location else "",
        code=one.location.code if one.location else "",
        areas=tuple(_areas(one, peaks, top, end)),
        top=size(int(top)),
        half=size(int(top / 2)),
        ops=f"{end:,}",
        peak_at=_peak_at(one, end),
        limit=TALL * (1 - limit / top) if limit else None,
    )


def _device(those: Sequence[Memory]) -> str:
    who = {one.rank for one in those if one.rank is not None}
    devices = ", ".join(dict.fromkeys(one.device for one in those))
    return f"{ranks(who)} · {devices}" if who else devices


def _peak_at(one: Memory, end: int) -> float | None:
    peaks = (WIDE * op / end for op, *held in one.course if sum(held) >= one.peak)
    return next(peaks, None) if end else None


def _areas(one: Memory, peaks: Sequence[int], top: float, end: int) -> Iterator[Area]:
    below = [0.0] * len(one.course)
    across = [WIDE * sample[0] / (end or 1) for sample in one.course]
    for number, kind in enumerate(MEMORY_KINDS):
        values = [sample[number + 1] for sample in one.course]
        above = [low + value for low, value in zip(below, values, strict=True)]
        if any(values) or peaks[number]:
            yield Area(
                kind=kind,
                label=_LABELS.get(kind, kind),
                held=size(peaks[number]),
                outline=tuple(_outline(across, below, above, top))
                if any(values)
                else (),
            )
        below = above


def _outline(
    across: Sequence[float], below: Sequence[float], above: Sequence[float], top: float
) -> Iterator[tuple[float, float]]:
    """Yield the upper edge from left to right, then the lower one back."""
    for x, y in zip(across, above, strict=True):
        yield x, TALL * (1 - y / top)
    for x, y in zip(reversed(across), reversed(below), strict=True):
        yield x, TALL * (1 - y / top)
