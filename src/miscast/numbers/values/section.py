"""The ranking: which lines add the most error, how far off each module's output is, what reaches the loss.

shadow    1,204 ops compared with float64, 3 steps; the loss at train.py:40 is 2.3125 (exact: 2.30519, 0.32% off)
added by  41 %  train.py:32  linear  bfloat16  net.head       12 calls, 0.9 ulp, 2 % of the elements
          17 %  train.py:30  add     bfloat16  net.blocks.3   12 calls, 0.5 ulp, 9 % of the elements
outputs   0.9 % net.head (bfloat16)
cheapest  train.py:32 in float32: 41 % of the added error for 2 % of the elements
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from rich.text import Text

from ...core.event import Location
from ...report.lines import labelled
from ...report.wording import place as spelled, plural, printable

if TYPE_CHECKING:
    from .schema import RankingData

_LABEL = 9
_LINES, _MODULES = 8, 8
_WORTH, _MORE = 0.3, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A line's error: `share` of all error, `ulps` of its worst call, `cost` as a share of all numbers.

    `module` is the path of the one at work there; `*` stands for a number where there are several.
    """

    location: Location
    op: str
    dtype: str
    phase: str
    calls: int
    ulps: float
    share: float
    cost: float
    module: str = ""

    @property
    def worth(self) -> float:
        """The excess of the line's share of the error over its share of the numbers."""
        return self.share - self.cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The relative error of a module's output against its shadow, of its worst call.

    `reaches`: by how much of itself the loss moves with that error, to first order; None without a backward pass.
    """

    module: str
    dtype: str
    error: float
    reaches: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """The error added within a module: `share` of all error, `cost` as a share of all numbers."""

    module: str
    share: float
    cost: float

    @property
    def worth(self) -> float:
        """The excess of the module's share of the error over its share of the numbers."""
        return self.share - self.cost


@dataclass(frozen=True, slots=True, kw_only=True)
class LossValue:
    """A loss that gradients were asked of: as it was, and as it is beside.

    `step` counts updates of optimizers; `scale` is what a GradScaler multiplied it by.
    """

    value: float
    exact: float
    dtype: str
    location: Location
    step: int = 1
    scale: float = 1.0

    @property
    def told(self) -> str:
        """Both values in words, and their relative difference if it is finite."""
        off = f", {share(self.error)} off" if isfinite(self.error) else ""
        return f"{self.value:.6g} (exact: {self.exact:.6g}{off})"

    @property
    def error(self) -> float:
        """The relative error; not finite if one of the two is not."""
        return abs(self.value - self.exact) / abs(self.exact) if self.exact else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One run's ranking."""

    ops: int
    steps: int
    added: tuple[Added, ...]
    outputs: tuple[Output, ...]
    loss: LossValue | None
    unknown: dict[str, int]

    name = "shadow"

    @property
    def cheapest(self) -> Added | None:
        """The line that gains the most from a higher precision, if one stands out."""
        worth = [one for one in self.added if one.share >= _WORTH]
        return max(worth, key=lambda one: one.worth, default=None)

    @property
    def cheapest_module(self) -> Within | None:
        """The module that gains more than that line."""
        line = self.cheapest
        least = line.worth if line else 0.0
        worth = [one for one in self.within() if one.share >= _WORTH]
        most = max((one.worth for one in worth), default=0.0)
        # of those that are near the best, the innermost
        near = [one for one in worth if one.worth >= most - _MORE]
        best = max(near, key=lambda one: one.module.count("."), default=None)
        return best if best is not None and best.worth > least + _MORE else None

    def within(self) -> Iterator[Within]:
        """Yield each module that something is added in."""
        found: dict[str, tuple[float, float]] = {}
        for one in self.added:
            parts = one.module.split(".") if one.module else []
            for count in range(1, len(parts) + 1):
                path = ".".join(parts[:count])
                share, cost = found.get(path, (0.0, 0.0))
                found[path] = (share + one.share, cost + one.cost)
        for path, (share, cost) in found.items():
            yield Within(module=path, share=share, cost=cost)

    def data(self) -> RankingData:
        """Return all of it; `cheapest` as an index."""
        from ...report.json import taken
        from .schema import RankingData

        best = self.cheapest
        place = None if best is None else self.added.index(best)
        return taken(RankingData, self, cheapest=place)

    def lines(self, width: int) -> Iterable[Text]:
        """Yield the lines of the summary."""
        steps = f", {self.steps:,} steps" if self.steps else ""
        loss = f"; {_of_loss(self.loss)}" if self.loss else ""
        told = f"{self.ops:,} ops compared with float64{steps}{loss}"
        yield from labelled_all("shadow", (told,), width)
        yield from labelled_all("added by", map(_of_line, self.added[:_LINES]), width)
        outputs = map(_of_output, self.outputs[:_MODULES])
        yield from labelled_all("outputs", outputs, width)
        yield from labelled_all("cheapest", self.in_words(), width)
        if self.unknown:
            told = f"no float64 version, treated as exact: {counted(self.unknown)}"
            yield from labelled_all("unknown", (told,), width)

    def in_words(self) -> Iterator[str]:
        """Yield what a higher precision of the cheapest line, and of the cheapest module, would gain."""
        line, module = self.cheapest, self.cheapest_module
        if line is not None:
            yield _in_higher(spelled(line.location), line)
        if module is not None:
            yield _in_higher(printable(module.module), module)


def _in_higher(what: str, one: Added | Within) -> str:
    return (
        f"{what} in a higher precision: {share(one.share)} of the added error "
        f"for {share(one.cost)} of the elements"
    )


def labelled_all(label: str, texts: Iterable[str], width: int) -> Iterator[Text]:
    """Yield the lines of texts of which the first has the label."""
    for text in texts:
        yield from labelled(label, text, width, "cyan", column=_LABEL)
        label = ""


def counted(calls: Mapping[str, int]) -> str:
    """Return ops with their numbers of calls as text."""
    return ", ".join(f"{name} (×{count})" for name, count in sorted(calls.items()))


def share(number: float) -> str:
    """Return a share as text: 0.5 % as such, smaller ones as powers."""
    return (
        f"{number:.0%}"
        if number >= 0.1
        else f"{number:.1%}"
        if number >= 0.001
        else f"{number:.0e}"
    )


def _of_loss(loss: LossValue) -> str:
    return f"the loss at {spelled(loss.location)} is {loss.told}"


def _of_output(one: Output) -> str:
    text = f"{share(one.error)} {printable(one.module)} ({one.dtype})"
    if one.reaches is None:
        return text
    return f"{text}, which moves the loss by {share(one.reaches)}"


def _of_line(one: Added) -> str:
    module = f"  {printable(one.module)}" if one.module else ""
    calls = plural(one.calls, "call")
    return (
        f"{share(one.share):>5}  {spelled(one.location)}  {one.op}  {one.dtype}{module}  "
        f"{calls}, {one.ulps:.2g} ulp, {share(one.cost)} of the elements"
    )
