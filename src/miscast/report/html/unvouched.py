"""What the run cannot vouch for: effects that did not happen, code that was not run, unchecked ops, assumed values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import outside, unreached
from ..notes import folded
from ..wording import place, plural, relative, times

if TYPE_CHECKING:
    from ..report import Report

_LISTED = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What belongs together: how much of it there is, and each in a line, some behind a number."""

    title: str
    told: str
    rows: tuple[tuple[str, str], ...]
    left: int = 0


def groups(report: Report) -> list[Group]:
    """Those that have anything."""
    return [one for one in _groups(report) if one.rows]


def _groups(report: Report) -> Iterator[Group]:
    yield _group(
        "Effects that stayed in the box",
        "",
        [("", x) for x in outside.lines(report.effects)],
    )
    blocks = list(unreached.lines(report.reach))
    for label, title in (
        ("in part", "Code that was made to run, and did not come to its end"),
        ("not run", "Code that was not run"),
        ("forced", "Code that was made to run"),
    ):
        rows = [("", text) for said, text in blocks if said == label]
        yield _group(title, plural(len(rows), "block"), rows)
    calls = plural(sum(report.unchecked.values()), "call")
    unchecked = [(f"×{count:,}", op) for op, count in _most(report.unchecked)]
    yield _group("Ops that no contract covers", calls, unchecked)
    assumed = [
        (
            "",
            f"{one.what} gives {one.value}"
            + (f" at {place(one.location)}" if one.location else "")
            + times(one.count),
        )
        for one in report.assumed
    ]
    yield _group("Values that were assumed", plural(len(assumed), "value"), assumed)
    notes = [("", relative(note)) for note in folded(report.notes)]
    if report.contracts == "declared":
        notes.append(
            (
                "",
                f"contracts: declared from torch's sources; no measurements for {report.machine}",
            )
        )
    yield _group("Notes", "", notes)


def _group(title: str, told: str, rows: list[tuple[str, str]]) -> Group:
    return Group(
        title=title,
        told=told,
        rows=tuple(rows[:_LISTED]),
        left=max(len(rows) - _LISTED, 0),
    )


def _most(calls: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(calls.items(), key=lambda item: (-item[1], item[0]))
