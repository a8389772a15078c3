"""Identify a finding across runs, though lines have moved. The hash covers its content, not its place.

Rule, file, the text of the line and the operands' names; findings that agree in all of these are told apart by their
order. SARIF, GitLab's code quality and baselines know a finding by it.

    >>> fingerprints(report.findings, Repository.here())
    ('8c1f64b7a09d2e53', '8c1f64b7a09d2e53:1', …)
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from ..core.finding import Finding
from .repository import Repository

_DIGITS = 16


def fingerprints(
    findings: Sequence[Finding], repository: Repository
) -> tuple[str, ...]:
    """Return one for each finding, no two the same."""
    seen: Counter[str] = Counter()
    told = []
    for finding in findings:
        if finding.fingerprint:
            told.append(finding.fingerprint)
            continue
        digest = _digest(finding, repository)
        told.append(f"{digest}:{seen[digest]}" if seen[digest] else digest)
        seen[digest] += 1
    return tuple(told)


def _digest(finding: Finding, repository: Repository) -> str:
    at = finding.location
    # without a line of source, what was said is all that there is
    what = at.code or at.function or finding.error or finding.message
    parts = (
        finding.rule,
        _file(at.file, repository),
        " ".join(what.split()),
        *(operand.name for operand in finding.operands),
    )
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:_DIGITS]


def _file(file: str, repository: Repository) -> str:
    """Return a file by a name that is the same in another checkout and in another environment."""
    if not file:
        return ""
    name = repository.relative(file)
    _, found, tail = name.rpartition("site-packages/")
    return tail if found else os.path.basename(name) if os.path.isabs(name) else name
