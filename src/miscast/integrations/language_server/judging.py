"""A folder of configurations as it stands in the editor: what is typed and not yet saved counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...core.finding import Finding
from ...lint import Outcome, fixing, lint
from ...lint.fixing import LineFix
from ...lint.run import Run
from ...lint.table import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The results of `lint` for one folder's files."""

    path: str
    outcome: Outcome

    def findings(self) -> Mapping[str, list[Finding]]:
        """Return the findings by the real path of the file where they are reported."""
        found: dict[str, list[Finding]] = {}
        for finding in self.outcome.report.findings:
            found.setdefault(os.path.realpath(finding.location.file), []).append(
                finding
            )
        return found

    def fixes(self, finding: Finding) -> Mapping[str, list[LineFix]]:
        """Return the safe edits of a finding, by file."""
        return fixing.safe([finding], self.outcome.runs)

    def decided(self, file: str, line: int) -> Iterator[tuple[Run, bool]]:
        """Yield the runs that a line sets something of, each with whether the table has a cell that it decides."""
        for run in self.outcome.runs:
            at = [
                entry.at
                for claimed in run.claimed
                for entry in claimed.document.entries
                if is_at(entry.at.file, entry.at.line, file, line)
            ]
            if at and run.table:
                cells = (cell for part in run.table for _, cell in part.cells())
                yield run, any(decides(cell, file, line) for cell in cells)


def judged(folder: str, unsaved: Mapping[str, bytes], machine: str | None) -> Folder:
    """Read the files of a folder, without subfolders, and check them together. Raises ValueError for the machine."""
    return Folder(
        path=folder, outcome=lint([folder], machine, below=False, unsaved=unsaved)
    )


def decides(cell: Cell, file: str, line: int) -> bool:
    """Check whether a value is decided by that line."""
    by = cell.by
    return by is not None and is_at(by.entry.at.file, by.entry.at.line, file, line)


def is_at(one: str, its_line: int, file: str, line: int) -> bool:
    """Check whether two places are one; `file` is a real path."""
    return its_line == line and os.path.realpath(one) == file
