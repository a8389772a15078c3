"""The report as workflow commands: GitHub Actions shows each finding at its line of a pull request.

    ::error file=train.py,line=112,title=operand-dtype-mismatch::linear mixes float32 `input` …%0A  train.py:112 …

GitHub shows ten errors, ten warnings and ten notices of a step: the findings come first, the most severe at the head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .folds import Fold, folds, unvouched
from .repository import Repository
from .suppressions import Remark, suppressions
from .verdict import in_words
from .wording import plural, printable

if TYPE_CHECKING:
    from .report import Report

_LEVELS = {"error": "error", "warning": "warning", "hint": "notice"}
_ORDER = tuple(_LEVELS)
_TEXT = 16_000


def render(report: Report) -> str:
    """Return a line for each finding, and one in words for the log."""
    repository = Repository.here()
    found = sorted(
        folds(report, repository), key=lambda fold: _ORDER.index(fold.finding.severity)
    )
    lines = [_annotation(fold, repository) for fold in found]
    title = f"miscast {report.command}"
    lines += [_command("warning", {"title": title}, line) for line in unvouched(report)]
    about = suppressions(report)
    lines += [_remark(one, repository) for one in (*about.unused, *about.mistakes)]
    told = plural(len(found), "finding") if found else in_words(report)
    # the log shows this line; it is no command
    lines.append(printable(f"{title}: {told}"))
    return "\n".join(lines) + "\n"


def _annotation(fold: Fold, repository: Repository) -> str:
    finding = fold.finding
    at = finding.location
    properties = {
        "file": repository.shown(at.file) if at.file else "",
        "line": str(at.line) if at.file and at.line > 0 else "",
        "col": str(at.column) if at.column > 0 else "",
        "title": finding.rule,
    }
    return _command(_LEVELS[finding.severity], properties, fold.text[:_TEXT])


def _remark(one: Remark, repository: Repository) -> str:
    """Return a comment that suppresses nothing, or cannot be read as one."""
    at = one.location
    properties = {"file": repository.shown(at.file), "line": str(at.line)}
    return _command("notice", {**properties, "title": "suppression"}, one.says)


def _command(level: str, properties: dict[str, str], text: str) -> str:
    given = ",".join(f"{name}={_value(one)}" for name, one in properties.items() if one)
    return f"::{level} {given}::{_data(text)}"


def _data(text: str) -> str:
    """Escape percent signs and line ends for GitHub's runner; other control characters become `?`."""
    clean = "\n".join(map(printable, text.split("\n")))
    return clean.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    """Return a property's value, in which colons and commas are escaped, too."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
