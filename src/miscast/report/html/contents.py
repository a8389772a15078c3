"""The values for the templates: the parts that a report has, in the order of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ... import __version__
from ..causes import causes
from ..verdict import checked_nothing, on_machine, verdict as verdict_of
from ..wording import place, plural, printable
from . import lanes, memory, precision, tree, unvouched, views
from .excerpt import Sources
from .patches import MEANINGS
from .rule_texts import rule_texts
from .story import Story, story

if TYPE_CHECKING:
    from ..report import Report

_STORIES, _SHORT = 120, 1000
"""This many findings are shown in full, and this many more in one line each."""
_OPEN = 8
_LEADS = ("matrix", "flight")
"""Commands whose own section comes before the findings."""
_NAMES = {"lint": "Configurations", "fix": "Fixes", "explain": "Explanation"}


def of(report: Report, *, lines: int = 2) -> dict[str, Any]:
    """Return the values of the page, with so many `lines` of source before and after each line."""
    sources = Sources(around=lines, reads=report.command != "explain")
    stories, short, left = _stories(report, sources)
    shown = [view for section in report.sections for view in views.of(section)]
    parts = {
        "tree": tree.forest(report.stages),
        "memory": memory.charts(report.memory),
        "precision": precision.tables(report.precision),
        "lanes": lanes.lanes(report),
        "unvouched": unvouched.groups(report),
        "rules": rule_texts(story.finding for story in stories),
    }
    leads = report.command in _LEADS
    return {
        "command": report.command,
        "title": f"miscast {report.command}: {verdict(report)}",
        "heading": _NAMES.get(report.command, report.command.title()),
        "verdict": verdict(report),
        "tone": _tone(report),
        "facts": tuple(_facts(report)),
        "stops": tuple(_stops(report)),
        "stories": stories,
        "meanings": _meanings(stories),
        "invocation": report.invocation,
        "short": short,
        "left": left,
        "open": _OPEN,
        "leading": shown if leads else [],
        "views": [] if leads else shown,
        "version": __version__,
        "inside": False,
        "toc": tuple(_contents(report, stories, shown, parts)),
        **parts,
    }


def verdict(report: Report) -> str:
    """Return the tally in words: "2 errors, 1 hint and 3 consequences"."""
    found = report.causes
    if report.command == "explain":
        told = f"{plural(len(found), 'error')} explained"
        return told if found else "nothing recognized"
    if report.command == "flight" and not found:
        return "a recorded training run"
    head, why = verdict_of(report)
    # the page shows what ended a run separately
    return head.plain if report.ended or report.failed else f"{head.plain}{why}"


def _tone(report: Report) -> str:
    kinds = {finding.severity for finding in report.causes}
    if "error" in kinds:
        return "bad"
    if kinds or report.ended or report.failed or checked_nothing(report):
        return "warn"
    return "" if report.command == "flight" else "good"


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what was run, as (name, value)."""
    if report.machine not in ("", "unspecified"):
        yield "machine", on_machine(report)
    if report.torch:
        yield "torch", report.torch
    if report.ranks:
        yield "ranks", f"{report.ranks:,}"
        yield "collectives matched", f"{report.matched:,}"
    if report.ops:
        yield "ops", f"{report.ops:,}"
    held = [one for one in report.memory if one.capacity]
    if held:
        most = max(held, key=lambda one: one.peak)
        yield "peak memory", f"{memory.size(most.peak)} of {memory.size(most.capacity)}"
    if report.invocation:
        yield "date", report.invocation.date
        if report.invocation.duration:
            yield "duration", report.invocation.duration


def _stops(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what ended the run, or Miscast."""
    if report.ended:
        yield "The program did not finish", report.ended
    if report.failed:
        yield "Miscast itself failed", report.failed


def _stories(
    report: Report, sources: Sources
) -> tuple[list[Story], list[dict[str, Any]], int]:
    """Return the findings in full, the findings in one line each, and how many are not shown."""
    found = list(causes(report.findings))
    whole = [
        story(number, one, followers, sources)
        for number, one, followers in found[:_STORIES]
    ]
    short = [
        {"number": number, "finding": one, "at": place(one.location)}
        for number, one, _ in found[_STORIES : _STORIES + _SHORT]
    ]
    return whole, short, max(len(found) - _STORIES - _SHORT, 0)


def _meanings(stories: Sequence[Story]) -> dict[str, str]:
    """Return what the states of the fixes on the page mean, by state."""
    shown = {state for story in stories for way in story.ways for state in way.states}
    return {state: text for state, text in MEANINGS.items() if state in shown}


def _contents(
    report: Report,
    stories: Sequence[Story],
    shown: Sequence[views.Shown],
    parts: dict[str, Any],
) -> Iterator[tuple[str, str]]:
    """Yield the table of contents, as (anchor, title)."""
    titled = [(one.anchor, printable(one.title)) for one in shown if one.title]
    if report.command in _LEADS:
        yield from titled
    if stories:
        yield "findings", "Findings"
    if report.command not in _LEADS:
        yield from titled
    titles = {
        "tree": "Modules", "memory": "Memory", "precision": "Effective precision", "lanes": "Collectives",
        "unvouched": "Not checked", "rules": "Rules",
    }  # fmt: skip
    yield from ((name, title) for name, title in titles.items() if parts[name])
