"""Collect the results of combinations and fold their findings: each once, with its combinations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...core.finding import Finding
from ...report import Report
from .cell import Axis, Cell
from .specification import Expectation

_ORDER = ("error", "warning", "hint")
Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a combination: a report, settings that make it impossible, or why there is neither.

    `known`: it was run before, and nothing has changed since. `said` is the end of what it printed, where it failed.
    """

    cell: Cell
    report: Report | None = None
    impossible: tuple[Finding, ...] = ()
    failed: str = ""
    said: str = ""
    seconds: float = 0.0
    known: bool = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of its settings, or of its run."""
        return self.impossible or (() if self.report is None else self.report.findings)

    @property
    def peak(self) -> int:
        """The most bytes that one of its devices held."""
        held = self.report.memory if self.report is not None else ()
        return max((memory.peak for memory in held if memory.capacity), default=0)

    @property
    def unseen(self) -> str:
        """The reason why it did not run to its end; empty if it did."""
        if self.report is None:
            return "" if self.impossible else self.failed
        return self.report.failed or self.report.ended or ""

    def surprising(self, expectations: Sequence[Expectation]) -> str:
        """Return how it differs from what was expected; empty if it does not."""
        told = [*filter(lambda one: one.concerns(self.cell), expectations)]
        wanted = [one.findings for one in told if one.findings is not None][-1:]
        expected = [*itertools.chain(*wanted)]
        found = sorted({finding.rule for finding in self.findings})
        if found != sorted(set(expected)):
            return f"found {_names(found)}, expected {_names(expected)}"
        limits = (one.memory for one in told if one.memory is not None)
        limit = min(limits, default=math.inf)
        if self.peak > limit:
            return f"{self.peak / 2**30:.2f} GiB, expected at most {limit / 2**30:.2f}"
        return "" if found else self.unseen


@dataclass(frozen=True, slots=True)
class Folded:
    """All findings, and for each cell the places of its own among them."""

    findings: tuple[Finding, ...]
    of: tuple[tuple[int, ...], ...]


def folded(outcomes: Sequence[Outcome], axes: Sequence[Axis]) -> Folded:
    """Return the findings of all combinations, worst first, then the most frequent; `cells` says where each occurs."""
    several: dict[tuple[object, ...], list[int]] = {}
    first: dict[tuple[object, ...], Finding] = {}
    roots: dict[tuple[object, ...], tuple[object, ...]] = {}
    for number, outcome in enumerate(outcomes):
        for finding in outcome.findings:
            key = _key(finding)
            first.setdefault(key, finding)
            if number not in several.setdefault(key, []):
                several[key].append(number)
            if finding.consequence_of is not None:
                roots.setdefault(key, _key(outcome.findings[finding.consequence_of]))
    place = {key: at for at, key in enumerate(_ordered(several, first, roots))}
    every = [outcome.cell.labels for outcome in outcomes]
    findings = []
    for key in place:
        where = condition([*map(every.__getitem__, several[key])], every)
        cells = _told(several[key], outcomes, where, axes)
        root = place.get(roots.get(key, ()))
        findings.append(replace(first[key], consequence_of=root, cells=cells))
    of = [
        tuple(dict.fromkeys(place[_key(one)] for one in outcome.findings))
        for outcome in outcomes
    ]
    return Folded(tuple(findings), tuple(of))


def _ordered(
    several: dict[tuple[object, ...], list[int]],
    first: dict[tuple[object, ...], Finding],
    roots: dict[tuple[object, ...], tuple[object, ...]],
) -> list[tuple[object, ...]]:
    """Return the causes first, then their consequences."""
    # one that is a consequence in some cells and stands alone in others is a cause
    for key in [key for key, root in roots.items() if root in roots or root == key]:
        del roots[key]
    rank = lambda key: (_ORDER.index(first[key].severity), -len(several[key]))  # noqa: E731
    causes = sorted((key for key in first if key not in roots), key=rank)
    return [*causes, *(key for key in first if key in roots)]


def _names(rules: Sequence[str]) -> str:
    return ", ".join(rules) or "nothing"


def _key(finding: Finding) -> tuple[object, ...]:
    at = finding.location
    return finding.rule, finding.op, finding.message, at.file, at.line


def _told(
    some: Sequence[int],
    outcomes: Sequence[Outcome],
    found: Condition,
    axes: Sequence[Axis],
) -> str:
    every = len(outcomes)
    if every == 1:
        return ""
    if len(some) == every:
        return f"all {every} combinations"
    told = " ".join(_holding(found, outcomes, axes))
    count = f"{len(some)} of {every} combinations"
    if len(some) == 1:
        return f"1 of {every} combinations: {told}"
    if found.exact:
        return f"{count}: those {told}"
    return f"{count}, among the {found.among} {told}"


def _holding(
    found: Condition, outcomes: Sequence[Outcome], axes: Sequence[Axis]
) -> Iterator[str]:
    """Yield the machines, then the other axes: on v100 or a100, with --mixed_precision=fp16 and --half."""
    machines: list[str] = []
    others: list[str] = []
    for one in axes:
        labels = found.holds.get(one.name)
        if labels is not None:
            cells = (outcome.cell.settings[one.name] for outcome in outcomes)
            said = {setting.label: setting.said for setting in cells}
            words = " or ".join(said[label] for label in labels)
            (machines if words.startswith("on ") else others).append(words)
    yield from machines
    if others:
        yield f"with {' and '.join(others)}"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition by axis that all of some combinations meet. `exact`: no others do, else `among` in all."""

    holds: Mapping[str, tuple[str, ...]]
    exact: bool
    among: int


def condition(some: Sequence[Labels], every: Sequence[Labels]) -> Condition:
    """Return a condition for some combinations: fewest axes, then fewest values; if none is exact, fewest others.

    >>> condition([{"machine": "v100", "dtype": "bf16"}], all_cells)
    Condition(holds={"machine": ("v100",), "dtype": ("bf16",)}, exact=True)
    """
    axes = list(every[0]) if every else []
    found = {name: tuple(dict.fromkeys(one[name] for one in some)) for name in axes}
    best: Condition | None = None
    for names in _subsets(axes):
        holds = {name: found[name] for name in names}
        among = sum(map(partial(_fits, holds), every))
        if among == len(some):
            return Condition(holds, exact=True, among=among)
        if best is None or among < best.among:
            best = Condition(holds, exact=False, among=among)
    return best or Condition({}, exact=True, among=len(some))


def _subsets(axes: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(len(axes) + 1):
        yield from itertools.combinations(axes, size)


def _fits(holds: Mapping[str, tuple[str, ...]], labels: Labels) -> bool:
    return all(labels[name] in values for name, values in holds.items())
