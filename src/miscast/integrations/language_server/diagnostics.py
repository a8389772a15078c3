"""Findings as the protocol has them: a range of the line, what to write instead, and the other places that belong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lsprotocol import types

from ...core.finding import Finding
from ...lint.fixing import LineFix
from ...report.rule_page import page

Lines = Callable[[str], Sequence[str]]
"""The lines of a file as they stand in the editor, else on the disk; none where there is no such file."""
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Information,
}
SOURCE = "miscast"


def diagnostic(finding: Finding, lines: Lines) -> types.Diagnostic:
    """Return one finding at its line."""
    at, address = finding.location, page(finding.rule).url
    told = [
        finding.message,
        *(f"help: {line}" for line in finding.help[:2]),
        *([_said(finding)] if finding.error else []),
    ]
    return types.Diagnostic(
        range=span(lines(at.file), at.line, at.column),
        message="\n".join(told),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(href=address) if address else None,
        source=SOURCE,
        related_information=[
            types.DiagnosticRelatedInformation(
                location=types.Location(
                    uri=uri(one.location.file),
                    range=span(
                        lines(one.location.file), one.location.line, one.location.column
                    ),
                ),
                message=one.label,
            )
            for one in finding.related
            if one.location.line
        ],
    )


def _said(finding: Finding) -> str:
    """Return what is raised; an effect of settings names its exception itself."""
    return ": ".join(filter(None, (finding.raises, finding.error)))


def action(
    finding: Finding, fixes: Iterable[tuple[str, list[LineFix]]], lines: Lines
) -> types.CodeAction | None:
    """Return the safe fix of a finding; None if a line is no longer what was read."""
    changes: dict[str, list[types.TextEdit]] = {}
    for file, edits in fixes:
        text = lines(file)
        for edit in edits:
            if edit.line > len(text) or text[edit.line - 1] != edit.old:
                return None
            whole = types.Range(
                start=types.Position(line=edit.line - 1, character=0),
                end=types.Position(line=edit.line - 1, character=_units(edit.old)),
            )
            changes.setdefault(uri(file), []).append(
                types.TextEdit(range=whole, new_text=edit.new)
            )
    if not changes:
        return None
    return types.CodeAction(
        title=finding.fixes[0].title,
        kind=types.CodeActionKind.QuickFix,
        is_preferred=True,
        diagnostics=[diagnostic(finding, lines)],
        edit=types.WorkspaceEdit(changes=changes),
    )


def span(text: Sequence[str], line: int, column: int) -> types.Range:
    """Return the range from the column to the end of the line's text; a missing line counts as the first."""
    number = line - 1 if 0 < line <= len(text) else 0
    code = text[number] if text else ""
    start = column - 1 if column else len(code) - len(code.lstrip())
    start = min(start, len(code))
    end = max(len(code.rstrip()), start)
    return types.Range(
        start=types.Position(line=number, character=_units(code[:start])),
        end=types.Position(line=number, character=_units(code[:end])),
    )


def uri(file: str) -> str:
    """Return a file as the protocol names it."""
    return Path(os.path.realpath(file)).as_uri()


def _units(text: str) -> int:
    """Return the protocol counts in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
