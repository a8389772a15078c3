"""Report where a program diverges from its twin in another precision, for `--against`.

against   float32: 1,204 ops in both, 5 steps
loss      step 1  2.3125    2.30519  0.3%
          step 5  1.8828    1.64312  15%
diverges  at all     train.py:14  embedding  bfloat16  net.embed  step 1
          by 1%      train.py:30  layer_norm_backward  bfloat16  step 1, in backward
outputs   0.9% → 14%  net.head (bfloat16)
weights   net.norm.weight (bfloat16) moved 0, in float32 0.0121: 100% apart
decisions `argmax` at sample.py:20 differs for 3 of 64
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ...core.event import Location
from ...report.wording import place as spelled, printable
from .section import LossValue, counted, labelled_all, share

if TYPE_CHECKING:
    from .schema import PartingData

_LOSSES, _LINES = 6, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """The first result that is so far from its twin, relative."""

    error: float
    step: int
    op: str
    dtype: str
    phase: str
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The error of a module's output against its twin, first and worst."""

    module: str
    dtype: str
    first: float
    worst: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Distance a weight `went` since the first update, and its twin `beside`. `apart` is relative to the twin's."""

    name: str
    dtype: str
    went: float
    beside: float
    apart: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Comparisons, indices, picks: of so many the twin would have made some `otherwise`, first at `step`."""

    op: str
    location: Location
    step: int
    otherwise: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """Differences of one run. `parted` has the first result beyond each key; inf: finite in one only."""

    precision: str
    ops: int
    steps: int
    losses: tuple[LossValue, ...]
    parted: Mapping[float, Parted]
    outputs: tuple[Output, ...]
    weights: tuple[Way, ...]
    decisions: tuple[Decision, ...]
    unknown: dict[str, int]

    name = "against"

    def data(self) -> PartingData:
        """Return all of it."""
        from ...report.json import taken
        from .schema import PartingData

        parted = [
            {"by": _level(level), "at": one} for level, one in self.parted.items()
        ]
        return taken(PartingData, self, parted=parted)

    def lines(self, width: int) -> Iterable[Text]:
        """Yield the lines of the summary."""
        steps = f", {self.steps:,} step{'s' * (self.steps != 1)}" if self.steps else ""
        yield from labelled_all(
            "against", (f"{self.precision}: {self.ops:,} ops in both{steps}",), width
        )
        if not self.parted:
            told = (
                f"nowhere: in {self.precision} the program gives bit-identical results"
            )
            yield from labelled_all("diverges", (told,), width)
        losses = (_of_loss(one, self.precision) for one in self._losses())
        yield from labelled_all("loss", losses, width)
        yield from labelled_all("diverges", self._parts(), width)
        worst = sorted(self.outputs, key=lambda one: -one.worst)
        outputs = (_of_output(one) for one in worst[:_LINES] if one.worst)
        yield from labelled_all("outputs", outputs, width)
        weights = (_of_way(one, self.precision) for one in self.weights[:_LINES])
        yield from labelled_all("weights", weights, width)
        most = sorted(self.decisions, key=lambda one: -one.otherwise)
        yield from labelled_all("decisions", map(_of_decision, most[:_LINES]), width)
        if self.unknown:
            told = f"no {self.precision} version, taken from the program: {counted(self.unknown)}"
            yield from labelled_all("unknown", (told,), width)

    def _losses(self) -> tuple[LossValue, ...]:
        """Return the first ones, the worst, and the last."""
        if len(self.losses) <= _LOSSES:
            return self.losses
        worst = max(self.losses, key=lambda one: one.error)
        kept = (*self.losses[: _LOSSES - 2], worst, self.losses[-1])
        return tuple(dict.fromkeys(sorted(kept, key=self.losses.index)))

    def _parts(self) -> Iterator[str]:
        """Yield one line for each place, with all levels that are passed there."""
        levels: dict[int, list[str]] = {}
        for level, one in self.parted.items():
            levels.setdefault(id(one), []).append(by(level))
        for one in self.parted.values():
            if id(one) in levels:
                yield f"{', '.join(levels.pop(id(one))):<10}  {_of_parted(one)}"


def _level(level: float) -> float | None:
    return None if level == float("inf") else level


def by(level: float) -> str:
    """Return a difference in words."""
    if level == float("inf"):
        return "not finite"
    return f"by {level:.0%}" if level else "at all"


def _of_loss(one: LossValue, precision: str) -> str:
    return f"step {one.step}  {one.value:.6g}, in {precision} {one.exact:.6g}{_apart(one.error)}"


def _of_parted(one: Parted) -> str:
    module = f"  {printable(one.location.module)}" if one.location.module else ""
    return (
        f"{spelled(one.location)}  {one.op}  {one.dtype}{module}  step {one.step}, in {one.phase}"
        f"{_apart(one.error)}"
    )


def _of_output(one: Output) -> str:
    size = share(one.first)
    grown = f" → {share(one.worst)}" if share(one.worst) != size else ""
    return f"{size}{grown}  {printable(one.module)} ({one.dtype})"


def _of_way(one: Way, precision: str) -> str:
    return (
        f"{printable(one.name)} ({one.dtype}) moved {one.went:.3g}, in {precision} {one.beside:.3g}"
        f"{_apart(one.apart)}"
    )


def _apart(error: float) -> str:
    return f": {share(error)} apart" if math.isfinite(error) else ""


def _of_decision(one: Decision) -> str:
    return f"`{one.op}` at {spelled(one.location)} differs for {one.otherwise:,} of {one.of:,}"
