"""A report without what is suppressed, and with one line on it.

First the command line and the settings of the project say what is told at all, then the comments beside the findings'
lines, then the baseline. What follows from a finding goes with it. A comment is unused only where its rule was judged,
on a run that came to its line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..core.event import Block, Location
from ..core.finding import Finding
from ..core.frozen import replace
from ..judging.findings.aliases import current, ids
from ..report import Report
from ..report.fingerprint import fingerprints
from ..report.repository import Repository
from ..report.rule_page import accepted
from ..report.statistics import Statistics
from ..report.suppressions import Remark, Suppressed, Suppressions
from .comment import Comment
from .comments import comments
from .settings import Settings

if TYPE_CHECKING:
    from .accounting import Accounting

_ORDER = ("error", "warning", "hint")
_Reason = Callable[[Finding], Suppressed | None]


def accounted(
    report: Report, by: Accounting, judged: Collection[str], files: Collection[str]
) -> Report:
    """Return a report without suppressed findings; the comments are those of `files`. Raises UnusableError."""
    repository = Repository.here()
    digests = fingerprints(report.findings, repository)
    found = [
        _severed(replace(finding, fingerprint=digest), by.settings)
        for finding, digest in zip(report.findings, digests, strict=True)
    ]
    known_rules = accepted()
    said = [one for file in files for one in comments(file, known_rules)]
    left, by_option = _split(found, partial(_by_option, by.ignored), whole=False)
    left, suppressed = _split(left, partial(_by_settings, by.settings), whole=False)
    left, by_comment = _split(left, partial(_by_comment, said))
    known = by.known
    if by.write is not None:
        from . import baseline

        told = [finding.fingerprint for finding in left]
        baseline.write(by.write, left, told, repository)
        known = frozenset(told)
    left, old = _split(left, partial(_by_baseline, known, repository))
    section = Suppressions(
        suppressed=(*by_option, *suppressed, *by_comment, *old),
        unused=tuple(_unused(report, said, by_comment, {*judged} - by.ignored)),
        mistakes=tuple(
            Remark(location=_at(one), says=one.mistake) for one in said if one.mistake
        ),
    )
    sections = (*report.sections, section) if section else report.sections
    if by.counted:
        sections = (*sections, Statistics(findings=tuple(left)))
    return replace(report, findings=tuple(left), sections=sections)


def _by_option(ignored: frozenset[str], finding: Finding) -> Suppressed | None:
    if finding.rule not in ignored:
        return None
    return Suppressed(finding=finding, by="option", reason="--select or --ignore")


def _severed(finding: Finding, settings: Settings) -> Finding:
    """Return the finding with the severity that the project gives its rule."""
    said = settings.rules.get(finding.rule, True)
    return finding if isinstance(said, bool) else replace(finding, severity=said)


def _by_settings(settings: Settings, finding: Finding) -> Suppressed | None:
    least = settings.severity
    if settings.rules.get(finding.rule) is False:
        reason = "the rule is off"
    elif _ORDER.index(finding.severity) > _ORDER.index(least):
        reason = f"below {least}"
    else:
        return None
    file = Location(file=settings.file, line=0)
    return Suppressed(finding=finding, by="settings", reason=reason, at=file)


def _split(
    findings: Sequence[Finding], reason: _Reason, *, whole: bool = True
) -> tuple[list[Finding], list[Suppressed]]:
    """Return the remaining findings, and suppressed ones with their reason; `whole` includes their consequences."""
    kept: dict[int, int] = {}
    gone: dict[int, Suppressed] = {}
    for index, finding in enumerate(findings):
        root = finding.consequence_of
        found = gone.get(root) if whole and root is not None else None
        found = found or reason(finding)
        if found is None:
            kept[index] = len(kept)
        else:
            gone[index] = replace(found, finding=replace(finding, consequence_of=None))
    left = [
        finding
        if finding.consequence_of is None
        else replace(finding, consequence_of=kept.get(finding.consequence_of))
        for finding in (findings[index] for index in kept)
    ]
    return left, [*gone.values()]


def _by_comment(said: Sequence[Comment], finding: Finding) -> Suppressed | None:
    at = finding.location
    for one in said:
        if one.file == at.file and one.about(finding.rule, at.line):
            return Suppressed(
                finding=finding, by="comment", reason=one.reason, at=_at(one)
            )
    return None


def _by_baseline(
    known: frozenset[str], repository: Repository, finding: Finding
) -> Suppressed | None:
    if finding.fingerprint not in known and known.isdisjoint(
        _former(finding, repository)
    ):
        return None
    return Suppressed(finding=finding, by="baseline", reason="in the baseline")


def _former(finding: Finding, repository: Repository) -> Iterator[str]:
    """Yield the fingerprints that it had under other ids of its rule."""
    _, colon, order = finding.fingerprint.partition(":")
    for rule in ids(finding.rule)[1:]:
        once = replace(finding, rule=rule, fingerprint="")
        yield f"{fingerprints((once,), repository)[0]}{colon}{order}"


def _at(one: Comment) -> Location:
    return Location(file=one.file, line=one.line)


def _unused(
    report: Report,
    said: Sequence[Comment],
    used: Sequence[Suppressed],
    judged: Collection[str],
) -> Iterator[Remark]:
    """Yield the comments that suppress nothing though they could have."""
    if (report.ended, report.failed) != (None, None):
        return
    places = {(one.at, rule) for one in used for rule in ids(one.finding.rule)}
    on = f" on {report.machine}" * (report.machine not in ("", "unspecified"))
    for one in said:
        if any(_holds(block, one) for block in report.reach):
            continue
        for rule in one.rules:
            if current(rule) in judged and (_at(one), rule) not in places:
                says = f"ignore[{rule}] has no effect{on}"
                yield Remark(location=_at(one), says=says)


def _holds(block: Block, one: Comment) -> bool:
    """Check whether the run did not come to a comment's line."""
    return block.file == one.file and block.first <= one.line <= block.last
