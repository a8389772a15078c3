"""The report as SARIF 2.1.0, as code scanning, editors and dashboards read it.

    {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Miscast", "rules": [{"id": "operand-dtype-mismatch",
     "help": {…}}]}}, "results": [{"ruleId": "operand-dtype-mismatch", "level": "error", "message": {"text": "linear
     mixes float32 `input` with float16 `weight` …"}, "locations": […], "codeFlows": […], "fixes": […],
     "partialFingerprints": {"miscast/v1": "8c1f64b7a09d2e53"}}]}]}

Files are relative to the root of the repository. A result is a cause; what follows from it is among its related
locations. It is known again by its fingerprint, though its line has moved; the key is Miscast's own, for GitHub's
upload action adds the one that it computes itself. What is more than GitHub takes (25,000 results) is left out from the
least severe on, and told; those that it would not show (5,000) come without their stories.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .. import __version__
from .folds import Fold, folds
from .repository import Repository
from .rule_page import page, site
from .sarif_result import LEVELS, told
from .suppressions import suppressions
from .verdict import checked_nothing, in_words

if TYPE_CHECKING:
    from .report import Report

RESULTS = 25_000
"""The most that GitHub takes in a run, of which it shows `_SHOWN`."""
_SHOWN = 5_000
_SHORT, _LONG = 1_000, 60_000
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ORDER = tuple(LEVELS)


def render(report: Report) -> str:
    """Return the report as one SARIF log with one run."""
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
    # escaped to ASCII: a file's name may be no Unicode
    return json.dumps(log, indent=1)


def _run(report: Report) -> dict[str, Any]:
    repository = Repository.here()
    kept, left = _kept((*folds(report, repository), *_suppressed(report, repository)))
    names = sorted({one.finding.rule for one in kept})
    places = {name: index for index, name in enumerate(names)}
    driver = {
        "name": "Miscast",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(name) for name in names],
    }
    if site():
        driver["informationUri"] = site()
    return {
        "tool": {"driver": driver},
        "originalUriBaseIds": {"ROOT": {"uri": repository.root}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, left)],
        "results": [
            told(one, places[one.finding.rule], repository, brief=number >= _SHOWN)
            for number, one in enumerate(kept)
        ],
        "properties": _properties(report),
    }


def _suppressed(report: Report, repository: Repository) -> tuple[Fold, ...]:
    """Return the suppressed findings, which SARIF lists with what suppresses them."""
    told = suppressions(report).suppressed
    found = folds(
        replace(report, findings=tuple(one.finding for one in told)), repository
    )
    return tuple(
        replace(fold, suppressed=one) for fold, one in zip(found, told, strict=True)
    )


def _kept(found: Sequence[Fold]) -> tuple[list[Fold], int]:
    """Return those that fit, the most severe first if not all do, and how many do not."""
    if len(found) <= _SHOWN:
        return list(found), 0
    ranked = sorted(found, key=lambda one: _ORDER.index(one.finding.severity))
    return ranked[:RESULTS], max(len(found) - RESULTS, 0)


def _rule(name: str) -> dict[str, Any]:
    about = page(name)
    text = about.text[:_LONG]
    rule: dict[str, Any] = {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": {"text": about.summary[:_SHORT]},
        "fullDescription": {"text": about.summary[:_SHORT]},
        "help": {"text": text, "markdown": text},
        "properties": {"tags": ["pytorch", "precision"]},
    }
    if about.url:
        rule["helpUri"] = about.url
    return rule


def _invocation(report: Report, left: int) -> dict[str, Any]:
    failed = [("error", text) for text in (report.failed, report.ended) if text]
    noted = [("warning", in_words(report))] if checked_nothing(report) else []
    noted += [("note", text) for text in report.notes]
    about = suppressions(report).told()
    # those that are suppressed are results
    noted += [("note", f"{by}: {one}") for by, one in about if by != "suppressed"]
    if left:
        noted.append(("warning", f"{left:,} results omitted: more than GitHub accepts"))
    return {
        "executionSuccessful": report.failed is None and report.ended is None,
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": text}}
            for level, text in (*failed, *noted)
        ],
    }


def _properties(report: Report) -> dict[str, Any]:
    known = {
        "command": report.command,
        "machine": report.machine,
        "machineReason": report.machine_reason,
        "torch": report.torch,
        "contracts": report.contracts,
        "ops": report.ops,
        "unchecked": dict(report.unchecked),
        "assumed": sum(one.count for one in report.assumed),
    }
    return {name: value for name, value in known.items() if value}
