"""The paragraphs of a report as text: one per finding, and what a run cannot vouch for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ..core.event import Assumption
from ..core.finding import Finding
from . import outside, unreached
from .causes import causes
from .explained import explained
from .lines import behind, cut, labelled, one_line
from .notes import folded
from .paragraph import paragraph
from .precision import in_short
from .verdict import checked_nothing, on_machine, verdict
from .wording import held, place, plural, relative, times

if TYPE_CHECKING:
    from .report import Report

_LABEL = 11
_USED = 3  # lines of memory and precision


def paragraphs(
    findings: Sequence[Finding], width: int, *, verbose: bool, numbered: bool = False
) -> Iterator[list[Text]]:
    """Yield each finding with those that follow from it; several of a report are `numbered`."""
    found = [*causes(findings)]
    for number, (_, finding, followers) in enumerate(found, 1):
        if finding.pattern:
            yield list(explained(finding, width))
        else:
            head = f"{number} " if numbered and len(found) > 1 else ""
            told = paragraph(finding, followers, width - len(head), verbose=verbose)
            yield [Text(head) + told[0], *told[1:]]


def summary(report: Report, width: int, *, verbose: bool) -> Iterator[Text]:
    """Yield what was run, its resources, and what was not checked: in at most six lines, unless `verbose`."""
    head, why = verdict(report)
    ran = _ran(report)
    text = ", ".join(filter(None, (why, ran)))
    between = " · " if ran and not why else ""
    yield from behind(Text.assemble(head, between), text, width)
    rules = (("rules", command) for command in rule_pages(report.causes))
    yield from _rows(rules, width, "dim")
    yield from _rows(_stops(report), width, "yellow")
    if verbose:
        yield from _rows(_used(report), width, "cyan")
        yield from _rows(unvouched(report), width, "yellow")
    else:
        yield from _in_short(report, width)


def _ran(report: Report) -> str:
    """Return what was run on which machine; "" for settings, which JSON that is read back does not mark as such."""
    if not (report.torch or report.ops or report.ended or report.failed):
        return ""
    ops = [] if checked_nothing(report) else [plural(report.ops, "op")]
    torch = f", torch {report.torch}" if report.torch else ""
    ran = f"{' '.join([*ops, 'on', on_machine(report)])}{torch}"
    if not report.ranks:
        return ran
    return f"{plural(report.ranks, 'rank')}, {plural(report.matched, 'collective')} matched · {ran}"


def rule_pages(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the command that prints the pages of the findings' rules, if there are any."""
    if names := dict.fromkeys(finding.rule for finding in findings):
        yield f"miscast rules {' '.join(names)}"


def _rows(rows: Iterable[tuple[str, str]], width: int, colour: str) -> Iterator[Text]:
    for label, text in rows:
        yield from labelled(label, one_line(text), width, colour, column=_LABEL)


def _stops(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what ended the run, where the verdict does not say it, and what failed of Miscast."""
    if report.ended and (report.findings or report.failed):
        yield "ended", relative(report.ended)
    if report.failed:
        yield "failed", relative(report.failed)


def _used(report: Report) -> Iterator[tuple[str, str]]:
    """Yield memory, the fullest device first, and the precision of each named module, as (label, text)."""
    known = [memory for memory in report.memory if memory.capacity]
    for text in held(sorted(known, key=lambda one: -one.peak / one.capacity)):
        yield "memory", text
    for text in in_short(report.precision):
        yield "precision", text


def _in_short(report: Report, width: int) -> Iterator[Text]:
    """Yield memory and precision in three lines, with the effects in four, and how much of the rest there is."""
    room = width - _LABEL - 3
    used = [(label, cut(text, room)) for label, text in _used(report)]
    memory = [row for row in used if row[0] == "memory"]
    shown = [*memory[:1], *used[len(memory) :]]
    yield from _rows(shown[:_USED], width, "cyan")
    if effects := "; ".join(outside.lines(report.effects)):
        lines = _USED + 1 - min(len(shown), _USED)
        effects = cut(effects, lines * room - (lines - 1) * _LABEL)
        yield from _rows([("effects", effects)], width, "yellow")
    left = [
        plural(len(memory) - 1, "more device") if len(memory) > 1 else "",
        plural(len(shown) - _USED, "more module") if len(shown) > _USED else "",
        *_counts(report),
    ]
    if told := ", ".join(filter(None, left)):
        yield from _rows([("more", f"{told}: --verbose lists them")], width, "yellow")


def _counts(report: Report) -> Iterator[str]:
    """Yield how much of a run was not checked, of each kind."""
    yield from unreached.counts(report.reach)
    calls = plural(sum(report.unchecked.values()), "call") + " not checked"
    assumed = plural(len(_assumed(report.assumed)), "placeholder value")
    notes = plural(len([*folded(_notes(report))]), "note")
    yield from (text for text in (calls, assumed, notes) if text[:2] != "0 ")


def unvouched(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what the run did not check, as (label, text)."""
    for text in outside.lines(report.effects):
        yield "effects", text
    yield from unreached.lines(report.reach)
    if report.unchecked:
        yield "unchecked", _unchecked(report.unchecked)
    for text in _assumed(report.assumed):
        yield "placeholder", text
    for note in _notes(report):
        yield "note", note


def _notes(report: Report) -> tuple[str, ...]:
    """Return the notes of a run, and what its verdicts rest on where that was not measured."""
    if report.contracts != "declared":
        return report.notes
    unmeasured = f"no measurements for {report.machine}"
    return (f"dtype rules: from torch's source code; {unmeasured}", *report.notes)


def _unchecked(calls: Mapping[str, int]) -> str:
    most = sorted(calls.items(), key=lambda item: (-item[1], item[0]))
    names = ", ".join(f"{op} ×{count:,}" for op, count in most)
    total = plural(sum(calls.values()), "call")
    return f"{total} of {plural(len(most), 'op')} without a dtype rule: {names}"


def _assumed(assumptions: Sequence[Assumption]) -> list[str]:
    counts: Counter[str] = Counter()  # two questions of one line read alike
    for one in assumptions:
        at = f" at {place(one.location)}" if one.location else ""
        verb = "was" if " " in one.what else "returned"
        counts[f"{one.what} {verb} {one.value}{at}"] += one.count
    return [f"{told}{times(count)}" for told, count in counts.items()]
