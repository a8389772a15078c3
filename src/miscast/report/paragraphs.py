"""The paragraphs of a report as text: one per finding, and what a run cannot vouch for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ..event import Assumption
from ..finding import Finding
from . import outside, unreached
from .causes import causes
from .explained import explained
from .lines import behind, labelled, one_line
from .notes import folded
from .paragraph import COLOURS, paragraph
from .precision import in_short
from .wording import held, place, plural, relative, times

if TYPE_CHECKING:
    from .report import Report

_LISTED = 6
_LABEL = 10


def paragraphs(
    findings: Sequence[Finding], width: int, *, verbose: bool
) -> Iterator[list[Text]]:
    """Each finding with those that follow from it."""
    for _, finding, followers in causes(findings):
        if finding.pattern:
            yield list(explained(finding, width))
        else:
            yield paragraph(finding, followers, width, verbose=verbose)


def tally(found: Sequence[Finding], follow: int = 0) -> Text:
    """How many findings of each severity, and how many consequences of theirs, in the colour of the worst."""
    kinds = Counter(finding.severity for finding in found)
    parts = [plural(kinds[kind], kind) for kind in COLOURS if kinds[kind]] or [
        "nothing found"
    ]
    also = f" and {plural(follow, 'consequence')}" if follow else ""
    colour = (
        COLOURS["error"]
        if kinds["error"]
        else COLOURS["warning"]
        if found
        else "bold green"
    )
    return Text(", ".join(parts) + also, colour)


def summary(report: Report, width: int, *, verbose: bool) -> Iterator[Text]:
    """What was run, what it took, and what it cannot vouch for."""
    torch = f", torch {report.torch}" if report.torch else ""
    ran = f"{plural(report.ops, 'op')} on {report.machine}{torch}"
    if report.ranks:
        ran = f"{plural(report.ranks, 'rank')}, {plural(report.matched, 'collective')} matched · {ran}"
    found = report.causes
    head = tally(found, len(report.findings) - len(found))
    yield from behind(Text.assemble(head, " · "), ran, width)
    for text in held(memory for memory in report.memory if memory.capacity):
        yield from labelled("memory", one_line(text), width, "cyan", column=_LABEL)
    for text in in_short(report.precision):
        yield from labelled("precision", one_line(text), width, "cyan", column=_LABEL)
    for label, text in _unvouched(report, verbose=verbose):
        yield from labelled(label, one_line(text), width, "yellow", column=_LABEL)


def _unvouched(report: Report, *, verbose: bool) -> Iterator[tuple[str, str]]:
    """What the run cannot vouch for, as (label, text)."""
    for label, text in (("ended", report.ended), ("failed", report.failed)):
        if text:
            yield label, relative(text)
    for text in outside.lines(report.effects):
        yield "effects", text
    for label, text in unreached.lines(report.reach, verbose=verbose):
        yield label, text
    if report.contracts == "declared":
        unmeasured = f"no measurements for {report.machine}"
        yield "note", f"contracts: declared from torch's sources; {unmeasured}"
    if report.unchecked:
        yield "unchecked", _unchecked(report.unchecked)
    for text in _assumed(report.assumed, len(report.assumed) if verbose else _LISTED):
        yield "assumed", text
    for note in report.notes if verbose else folded(report.notes):
        yield "note", note


def _unchecked(calls: Mapping[str, int]) -> str:
    most = sorted(calls.items(), key=lambda item: (-item[1], item[0]))
    names = [f"{op} ×{count:,}" for op, count in most[:_LISTED]]
    names += [f"{len(most) - _LISTED:,} more"] * (len(most) > _LISTED)
    total = plural(sum(calls.values()), "call")
    return f"{total} of {plural(len(most), 'op')} that no contract covers: {', '.join(names)}"


def _assumed(assumptions: Sequence[Assumption], most: int) -> Iterator[str]:
    counts: Counter[str] = Counter()  # two questions of one line read alike
    for one in assumptions:
        at = f" at {place(one.location)}" if one.location else ""
        counts[f"{one.what} gives {one.value}{at}"] += one.count
    for told, count in list(counts.items())[:most]:
        yield f"{told}{times(count)}"
    if len(counts) > most:
        yield f"{len(counts) - most:,} more"
