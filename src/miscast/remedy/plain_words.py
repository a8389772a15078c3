"""Words that need no source: for a place, and for advice that nobody can write as an edit."""

from __future__ import annotations

from ..event import Location
from ..finding import Finding, Fix


def in_words(finding: Finding) -> Fix | None:
    """Return the advice for a finding whose source cannot be changed: the operand, by the op's name for it."""
    if not finding.blamed or not finding.wanted:
        return None
    verb, target = "cast", f"torch.{finding.wanted}"
    if finding.about == "device":
        verb, target = "move", f'"{finding.wanted.removesuffix(":0")}"'
    where = f"before {finding.op} at {place(finding.location)}"
    return Fix(title=f"{verb} `{finding.blamed}` {where}: .to({target})")


def place(location: Location | None) -> str:
    """Return the words for a place: "data.py:12"."""
    if location is None:
        return "an unknown line"
    return f"{location.file.rpartition('/')[2]}:{location.line}"
