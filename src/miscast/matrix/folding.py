"""Find what combinations share: the smallest condition that distinguishes them from the others.

>>> condition([{"machine": "v100", "dtype": "bf16"}], all_cells)
Condition(holds={"machine": ("v100",), "dtype": ("bf16",)}, exact=True)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition by axis that all of some combinations meet. `exact`: no others do, else `among` in all."""

    holds: Mapping[str, tuple[str, ...]]
    exact: bool
    among: int


def condition(some: Sequence[Labels], every: Sequence[Labels]) -> Condition:
    """Return a condition for some combinations: fewest axes, then fewest values; if none is exact, fewest others."""
    axes = list(every[0]) if every else []
    found = {name: _values(name, some) for name in axes}
    best: Condition | None = None
    for names in _subsets(axes):
        holds = {name: found[name] for name in names}
        among = sum(_fits(labels, holds) for labels in every)
        if among == len(some):
            return Condition(holds, exact=True, among=among)
        if best is None or among < best.among:
            best = Condition(holds, exact=False, among=among)
    return best or Condition({}, exact=True, among=len(some))


def _subsets(axes: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(len(axes) + 1):
        yield from itertools.combinations(axes, size)


def _values(name: str, cells: Sequence[Labels]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels[name] for labels in cells))


def _fits(labels: Labels, holds: Mapping[str, tuple[str, ...]]) -> bool:
    return all(labels[name] in values for name, values in holds.items())
