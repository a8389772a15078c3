"""A recorded training, read back: `Flight` has its series and its events; lines that were cut off are counted.

Nothing of it needs torch.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from ..core.event import Location
from .log import VERSION

Points = tuple[tuple[int, float], ...]
"""(step, value); a value may be NaN or infinite."""
SERIES = ("loss", "norm", "scale", "lr", "seconds")
_LARGEST = 1 << 30


class UnreadableFlightError(Exception):
    """The file is not a recording; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A trip or a recovery, in lines."""

    step: int
    kind: str
    lines: tuple[str, ...]
    location: Location | None = None
    """The program's line that it began at, where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """A file's contents."""

    file: str
    torch: str
    parameters: int
    steps: int
    series: dict[str, Points]
    """Points by name: loss, norm, scale, lr, seconds."""
    ratios: dict[str, Points]
    """Ratios of an update to its weights, by module."""
    incidents: tuple[Incident, ...]
    skipped: int
    broken: int
    """Lines that are no whole JSON: at most the last one, where a process was killed."""


def read(file: str) -> Flight:
    """Read a recording. Raises OSError, and UnreadableFlightError if the file is not a recording."""
    if os.path.getsize(file) > _LARGEST:
        raise UnreadableFlightError(f"{file} is larger than 1 GiB")
    reading = _Reading()
    for line in _lines(file):
        reading.add(line)
    start = reading.start
    if start is None or start.get("version") != VERSION:
        raise UnreadableFlightError(
            f"{file} is not a recording of miscast.guard (version {VERSION})"
        )
    return Flight(
        file=file,
        torch=str(start.get("torch", "")),
        parameters=_whole(start.get("parameters")),
        steps=reading.steps,
        series={name: tuple(points) for name, points in reading.series.items()},
        ratios={name: tuple(points) for name, points in reading.ratios.items()},
        incidents=tuple(reading.incidents),
        skipped=reading.skipped,
        broken=reading.broken,
    )


class _Reading:
    """The contents of the lines read so far."""

    def __init__(self) -> None:
        self.start: dict[str, Any] | None = None
        self.steps = self.skipped = self.broken = 0
        self.series: dict[str, list[tuple[int, float]]] = {}
        self.ratios: dict[str, list[tuple[int, float]]] = {}
        self.incidents: list[Incident] = []

    def add(self, line: dict[str, Any] | None) -> None:
        """Add the next line; None is one that cannot be read."""
        if line is None:
            self.broken += 1
            return
        event, step = line.get("event"), _whole(line.get("step"))
        if event == "start" and self.start is None:
            self.start = line
        elif event == "step":
            self._step(line, step)
        elif event == "weights":
            _collect(self.ratios, line.get("ratios"), step)
        elif event in ("trip", "recovery"):
            self.incidents.append(_incident(line, step))

    def _step(self, line: dict[str, Any], step: int) -> None:
        self.steps = max(self.steps, step)
        self.skipped += bool(line.get("skipped"))
        # a norm of some of the gradients is no point of the same curve
        names = [one for one in SERIES if one != "norm" or line.get("of") != "some"]
        given = {name: line[name] for name in names if name in line}
        _collect(self.series, given, step)


def _collect(
    series: dict[str, list[tuple[int, float]]], values: object, step: int
) -> None:
    """Append a point to each of several curves."""
    for name, given in values.items() if isinstance(values, dict) else ():
        value = _number(given)
        if value is not None:
            series.setdefault(str(name), []).append((step, value))


def _lines(file: str) -> Iterator[dict[str, Any] | None]:
    decode = msgspec.json.Decoder().decode
    with open(file, "rb") as stream:
        for raw in stream:
            if not raw.strip():
                continue
            try:
                line = decode(raw)
            except msgspec.DecodeError:
                yield None
                continue
            yield line if isinstance(line, dict) else None


def _number(value: object) -> float | None:
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _whole(value: object) -> int:
    number = _number(value)
    return int(number) if number is not None and math.isfinite(number) else 0


def _incident(line: dict[str, Any], step: int) -> Incident:
    if line["event"] == "recovery":
        return Incident(step=step, kind="recovery", lines=(str(line.get("did", "")),))
    told = [str(line.get("what", ""))]
    first: Location | None = None
    rerun = line.get("rerun")
    producers = rerun.get("producers") if isinstance(rerun, dict) else None
    if isinstance(producers, list):
        known = [one for one in producers[:2] if isinstance(one, dict)]
        told += map(_producer, known)
        first = _location(known[0].get("location")) if known else None
    if isinstance(rerun, dict) and rerun.get("failed"):
        told.append(str(rerun["failed"]))
    kind = str(line.get("kind", ""))
    return Incident(step=step, kind=kind, lines=tuple(told), location=first)


def _location(at: object) -> Location | None:
    """Return a recorded location, or None if none was recorded."""
    if not isinstance(at, dict) or not isinstance(at.get("file"), str):
        return None
    return Location(
        file=at["file"],
        line=max(_whole(at.get("line")), 0),
        function=str(at.get("function") or ""),
        code=str(at.get("code") or ""),
    )


def _producer(one: dict[str, Any]) -> str:
    node = f" (backward, {one['node']})" if one.get("node") else ""
    what = f"{one['op']}{node}" if one.get("op") else str(one.get("tensor", ""))
    module = f" in {one['module']}" if one.get("module") else ""
    at = one.get("location")
    where = ""
    if isinstance(at, dict):
        where = f"  {at.get('file')}:{at.get('line')}  {at.get('code')}"
    return f"first: {what}{module}{where}"
