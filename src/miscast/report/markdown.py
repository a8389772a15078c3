"""The report as a comment on a pull request: what was found at a glance, each finding to unfold with its story.

    <!-- miscast check -->
    ### miscast check: 1 error and 3 consequences

    | | where | what |
    |---|---|---|
    | error | `train.py:112` | linear mixes float32 `input` with float16 `weight` |

    <details><summary>error · operand-dtype-mismatch · train.py:112</summary> …

A comment of GitHub's has at most 65,536 characters: what does not fit is left out from the end on, and counted. The
first line tells a bot which comment is its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .folds import Fold, folds, unvouched
from .lines import one_line
from .markup import cell, code, fenced, fitting, size, summary
from .repository import Repository
from .story import flows
from .suppressions import suppressions
from .verdict import in_words, on_machine
from .wording import plural

if TYPE_CHECKING:
    from .report import Report

LONGEST = 65_536
"""Counted in bytes, so that it holds however characters are counted."""
_ROOM = 400  # for the lines that say what was left out
_TABLE, _NOTES = 12_000, 6_000
_WIDE = 300


def render(report: Report) -> str:
    """Return the comment."""
    return within(report, LONGEST)


def within(report: Report, longest: int) -> str:
    """Return the comment, of so many bytes where it shares one with others; the counts are there always."""
    repository = Repository.here()
    found = folds(report, repository)
    text = "\n".join(_head(report, found, repository, min(_TABLE, longest // 4)))
    foot = "\n".join(_foot(report, min(_NOTES, longest // 8)))
    room = longest - _ROOM - size(text) - size(foot)
    left = 0
    for fold in found:
        block = "\n".join(_details(fold, repository))
        room -= size(block) + 1
        if room < 0:
            left += 1
            continue
        text += f"\n{block}"
    if left:
        text += f"\n\n{plural(left, 'more finding')} omitted: the comment would be too long."
    return f"{text}\n{foot}\n".encode("utf-8", "replace").decode()


def _head(
    report: Report, found: Sequence[Fold], repository: Repository, table: int
) -> Iterator[str]:
    yield f"<!-- miscast {report.command} -->"
    yield f"### miscast {report.command}: {cell(in_words(report)[:_WIDE])}"
    yield ""
    if found:
        yield "| | where | what |"
        yield "|---|---|---|"
        rows = fitting((_row(fold, repository) for fold in found), table)
        yield from rows
        if len(rows) < len(found):
            left = plural(len(found) - len(rows), "more finding")
            yield f"\n{left} not in this table."
        yield ""


def _row(fold: Fold, repository: Repository) -> str:
    says = f"{fold.finding.message[:_WIDE]}{_also(fold)}"
    where = code(_where(fold, repository))
    return f"| {fold.finding.severity} | {where} | {cell(says)} |"


def _also(fold: Fold) -> str:
    return f" (+{len(fold.followers)} that follow)" if fold.followers else ""


def _where(fold: Fold, repository: Repository) -> str:
    at = fold.finding.location
    if not at.file:
        return "nowhere"
    name = repository.shown(at.file)
    short = name if len(name) <= _WIDE else f"…{name[-_WIDE:]}"
    return f"{short}:{at.line}" if at.line else short


def _details(fold: Fold, repository: Repository) -> Iterator[str]:
    finding = fold.finding
    title = f"{finding.severity} · {finding.rule} · {_where(fold, repository)}"
    yield f"<details><summary>{summary(title)}</summary>\n"
    yield from fenced(fold.text)
    for flow in flows(finding)[:1]:
        yield "\n<details><summary>how it happened</summary>\n"
        for number, step in enumerate(flow, 1):
            at = step.location
            where = f"{repository.shown(at.file)}:{at.line}"
            source = f" {code(one_line(at.code)[:_WIDE])}" if at.code else ""
            yield f"{number}. {code(where)} {cell(step.says[:_WIDE])}{source}"
        yield "\n</details>"
    yield "\n</details>\n"


def _foot(report: Report, room: int) -> Iterator[str]:
    """Yield what was run, and what was not checked."""
    for line in unvouched(report):
        yield f"\n> {cell(line[:_WIDE])}"
    about = (f"{one}: {text}"[:_WIDE] for one, text in suppressions(report).told())
    yield from fitting((f"\n> {cell(text)}" for text in about), room)
    on = [
        plural(report.ops, "op") * bool(report.ops),
        f"on {on_machine(report)}" if report.machine not in ("", "unspecified") else "",
        f"torch {report.torch}" if report.torch else "",
    ]
    if any(on):
        yield f"\n<sub>{cell(' · '.join(filter(None, on)))}</sub>"
    if report.notes:
        yield f"\n<details><summary>{plural(len(report.notes), 'note')}</summary>\n"
        notes = fitting((f"- {cell(note[:_WIDE])}" for note in report.notes), room)
        yield from notes
        if len(notes) < len(report.notes):
            yield f"- {len(report.notes) - len(notes):,} more"
        yield "\n</details>"
