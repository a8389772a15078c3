"""Findings by what they follow from: each cause with its place in the report, and all that follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.finding import Finding


def causes(
    findings: Sequence[Finding],
) -> Iterator[tuple[int, Finding, Sequence[Finding]]]:
    """Yield the causes in the report's order: index, finding, followers."""
    followers: dict[int | None, list[Finding]] = {}
    for finding in findings:
        followers.setdefault(finding.consequence_of, []).append(finding)
    for index, finding in enumerate(findings):
        if finding.consequence_of is None:
            yield index, finding, followers.get(index, ())
