"""A finding as a result of SARIF: its place, its story as a code flow, and what mends it as edits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..core.event import Location
from ..core.finding import Edit, Finding, Fix
from ..core.regex import regex
from .folds import Fold
from .repository import Repository
from .story import Step, beside, flows
from .suppressions import Suppressed
from .wording import printable

LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
_TEXT = 4_000
_SNIPPET = 2_000
_MARKS = regex(r"[\\\[\]]")
"""Characters that end a link text."""
_RELATED, _FLOWS, _LINKED = 100, 10, 8
"""Limits of GitHub for a result. A flow of Miscast's has at most some dozens of steps."""


def told(
    fold: Fold, rule: int, repository: Repository, *, brief: bool = False
) -> dict[str, Any]:
    """Return the finding in SARIF; `rule` is the index of its rule among the run's. `brief`: without its story."""
    finding = fold.finding
    near = () if brief else _near(fold)
    known = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": LEVELS[finding.severity],
        **_message("\n".join(_lines(fold, near))),
        "locations": [_location(finding.location, repository)],
        "relatedLocations": [
            {
                "id": number,
                **_location(step.location, repository),
                **_message(step.says),
            }
            for number, step in enumerate(near, 1)
        ],
        "codeFlows": [
            {"threadFlows": [{"locations": list(_flow(flow, repository))}]}
            for flow in (() if brief else flows(finding)[:_FLOWS])
        ],
        "fixes": [_fix(fix, repository) for fix in finding.fixes if _proven(fix)],
        "occurrenceCount": finding.count,
        "partialFingerprints": {"miscast/v1": fold.fingerprint},
        "suppressions": _suppressions(fold.suppressed, repository),
        "properties": _properties(fold),
    }
    return {name: value for name, value in known.items() if value not in ([], {})}


def _suppressions(
    one: Suppressed | None, repository: Repository
) -> list[dict[str, Any]]:
    """Return a suppression, in the source if it is a comment; anything else is external."""
    if one is None:
        return []
    told: dict[str, Any] = {
        "kind": "inSource" if one.by == "comment" else "external",
        "status": "accepted",
    }
    if one.reason:
        told["justification"] = printable(one.reason)
    if one.at is not None and one.at.file:
        told["location"] = _location(one.at, repository)
    return [told]


def _near(fold: Fold) -> tuple[Step, ...]:
    """Return the places beside the finding's own, then those of what follows from it."""
    also = (
        Step(location=one.location, says=f"consequence: {one.message}")
        for one in fold.followers
        if one.location.file
    )
    return (*beside(fold.finding), *also)[:_RELATED]


def _lines(fold: Fold, near: tuple[Step, ...]) -> Iterator[str]:
    """Yield what GitHub shows of a result.

    What, where it is from, what to write instead, and the error that is raised.
    """
    finding = fold.finding
    yield _escaped(finding.message)
    for number, step in enumerate(near[:_LINKED], 1):
        yield f"{_escaped(step.says)} [{_named(step.location, finding)}]({number})"
    for fix in finding.fixes[:3]:
        yield _escaped(f"Help: {fix.title}{' (verified)' if fix.verified else ''}")
    if finding.error:
        raised = f"{finding.raises}: " if finding.raises else ""
        yield _escaped(f"{raised}{finding.error}")
    if finding.cells:
        yield _escaped(f"In {finding.cells}")


def _named(at: Location, finding: Finding) -> str:
    """Return the text of a link to another place: "line 14", "ds.json:7" in another file."""
    line = f"line {at.line}" if at.line else "its file"
    if at.file == finding.location.file:
        return line
    name = os.path.basename(at.file) + (f":{at.line}" if at.line else "")
    return _MARKS.sub(r"\\\g<0>", name)


def _message(text: str) -> dict[str, Any]:
    cut = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    return {"message": {"text": "\n".join(map(printable, cut.split("\n")))}}


def _escaped(text: str) -> str:
    """Return what a program says must not become a link."""
    return text.replace("](", "\\](")


def _location(at: Location, repository: Repository) -> dict[str, Any]:
    named = [(at.function, "function"), (at.module or "", "module")]
    logical = [
        {"fullyQualifiedName": printable(name), "kind": kind}
        for name, kind in named
        if name
    ]
    physical: dict[str, Any] = {"artifactLocation": _file(at.file, repository)}
    if at.line > 0:
        physical["region"] = _region(at)
    told: dict[str, Any] = {"physicalLocation": physical}
    if logical:
        told["logicalLocations"] = logical
    return told


def _file(file: str, repository: Repository) -> dict[str, Any]:
    if not file:  # GitHub refuses a whole log for one result that has no place
        return {"uri": ".", "uriBaseId": "ROOT"}
    uri = repository.uri(file)
    return (
        {"uri": uri, "uriBaseId": "ROOT"} if repository.contains(file) else {"uri": uri}
    )


def _region(at: Location) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": at.line}
    if at.column > 0:
        region["startColumn"] = at.column
    if at.code:
        region["snippet"] = {"text": at.code[:_SNIPPET]}
    return region


def _flow(flow: tuple[Step, ...], repository: Repository) -> Iterator[dict[str, Any]]:
    for step in flow:
        place = {**_location(step.location, repository), **_message(step.says)}
        last = step is flow[-1]
        yield {"location": place, "importance": "essential" if last else "important"}


def _proven(fix: Fix) -> bool:
    """Check whether it can be applied unchanged: it was verified, or is safe by what it changes."""
    return bool(fix.edits) and (fix.verified or fix.safe)


def _fix(fix: Fix, repository: Repository) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        changes.setdefault(edit.file, []).append(_replacement(edit))
    return {
        "description": {"text": printable(fix.title)},
        "artifactChanges": [
            {"artifactLocation": _file(file, repository), "replacements": replacements}
            for file, replacements in changes.items()
        ],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    """Replace whole lines: added or deleted ones include their line end, changed ones keep theirs."""
    start, end = edit.start_line, edit.end_line
    new = {"insertedContent": {"text": edit.replacement}}
    if start <= end and edit.replacement:
        return {"deletedRegion": {"startLine": start, "endLine": end}, **new}
    behind = max(end + 1, start)
    region = {"startLine": start, "startColumn": 1, "endLine": behind, "endColumn": 1}
    if end < start:
        new["insertedContent"]["text"] += "\n"
        return {"deletedRegion": region, **new}
    return {"deletedRegion": region}


def _properties(fold: Fold) -> dict[str, Any]:
    finding = fold.finding
    known = {
        "op": finding.op,
        "phase": finding.phase,
        "blamed": finding.blamed,
        "wanted": finding.wanted,
        "ranks": list(finding.ranks),
        "arguments": list(finding.arguments),
        "cells": finding.cells,
        "consequences": len(fold.followers),
        "operands": [
            {"name": one.name, "dtype": one.dtype, "device": one.device}
            for one in finding.operands
        ],
    }
    return {name: value for name, value in known.items() if value}
