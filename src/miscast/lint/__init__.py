"""Find contradictory settings in configurations, before anything runs.

    $ miscast lint config/ train.sh accelerate.yaml ds_config.json --machine v100

    >>> lint(["accelerate.yaml", "ds_config.json"]).report.findings
    (Finding(rule='engine-contradicts-launcher', …),)

Files become documents, runs, tables of effective precision, and findings. Nothing is executed, and torch is not
imported. A file that cannot be read is reported with the parser's reason; a file that belongs to no system is counted.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.finding import Finding
from ..core.frozen import dataclass, replace
from ..report import Report
from . import find, formats
from .composition import composed
from .files import Broken, Files
from .grouping import runs
from .run import Run
from .setting import Document, TooLargeError, UnreadableError
from .tables import PrecisionTables

if TYPE_CHECKING:
    from ..core.machines import Machine

__all__ = ["Broken", "Outcome", "lint"]

_CODE = (".py", ".sh", ".bash", ".slurm", ".sbatch")
_REFERENCED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of `lint`: the report, its runs, the number of files, and the files that cannot be read."""

    report: Report
    runs: tuple[Run, ...]
    broken: tuple[Broken, ...] = ()
    files: int = 0


def lint(
    paths: Iterable[str] = (),
    machine: str | None = None,
    *,
    below: bool = True,
    unsaved: Mapping[str, bytes] | None = None,
) -> Outcome:
    """Read configurations (default: below the current folder) and check them together.

    Without `below`, subfolders are not read. `unsaved` are contents of files that are not saved yet, by real path, as
    in an editor.
    Raises ValueError, one line, for an unknown machine and for a path that does not exist.
    """
    target = _found(machine) if machine else None
    named = [*paths] or ["."]
    reader = _Reader((".", *named), unsaved or {})
    for folder, file in find.files(named, below=below, failed=reader.failed):
        reader.read(folder, file)
    reader.follow()
    found = tuple(runs(reader.scopes.values(), reader.named, target))
    broken = tuple(reader.broken)
    return Outcome(
        report=_report(found, reader, broken, target.spec if target else None),
        runs=found,
        broken=broken,
        files=len(reader.seen),
    )


def _found(machine: str) -> Machine:
    from ..core import machines

    return machines.find(machine)


def _report(
    found: Sequence[Run],
    reader: _Reader,
    broken: tuple[Broken, ...],
    machine: str | None,
) -> Report:
    findings = _judged(found)
    read = {file for run in found for file in run.files}
    files = len(reader.seen - {one.file for one in broken})
    skipped = max(files - len(read & reader.seen), 0)
    return Report(
        command="lint",
        machine=machine or "unspecified",
        torch="",
        findings=findings,
        sections=(
            PrecisionTables(
                runs=tuple(run for run in found if run.table),
                faulty=frozenset(finding.location.file for finding in findings),
            ),
            Files(
                read=files - skipped,
                skipped=skipped,
                broken=broken,
                machine=machine,
                findings=findings,
            ),
        ),
    )


class _Reader:
    """Reads documents: by folder, and those of files that were named."""

    def __init__(self, roots: Sequence[str], unsaved: Mapping[str, bytes]) -> None:
        self._roots = tuple(map(os.path.realpath, roots))
        self._unsaved = unsaved
        self.scopes: dict[str, list[Document]] = {}
        self.named: list[Document] = []
        self.broken: list[Broken] = []
        self.seen: set[str] = set()

    def read(self, folder: str, file: str) -> None:
        """Read a file into its folder's documents, or among the named ones."""
        documents = self.scopes.setdefault(folder, []) if folder else self.named
        documents.extend(self._documents(file, found=bool(folder)))

    def follow(self) -> None:
        """Read the files that documents name (`--config_file accelerate.yaml`), if they exist."""
        for documents in (self.named, *self.scopes.values()):
            for file in [
                file for document in documents for file in _mentioned(document)
            ]:
                if os.path.normpath(file) in {os.path.normpath(f) for f in self.seen}:
                    continue
                if len(self.seen) > _REFERENCED + find.MOST:
                    return
                documents.extend(self._documents(file))

    def failed(self, error: OSError) -> None:
        """Add a file that cannot be read."""
        reason = error.strerror or str(error)
        self.broken.append(Broken(file=str(error.filename), reason=reason))

    def _documents(self, file: str, *, found: bool = False) -> tuple[Document, ...]:
        """Return a file's documents; report an error, unless the file was found and is probably no configuration."""
        self.seen.add(file)
        try:
            raw = self._unsaved.get(os.path.realpath(file))
            documents = formats.read(file, found=found, raw=raw)
            return tuple(composed(one, self._below) for one in documents)
        except UnreadableError as error:
            data_or_dialect = isinstance(error, TooLargeError) or file.endswith(_CODE)
            if not (found and data_or_dialect):
                at = {"line": error.line, "column": error.column}
                self.broken.append(Broken(file=file, reason=str(error), **at))
        except OSError as error:
            error.filename = file
            self.failed(error)
        return ()

    def _below(self, file: str) -> tuple[Document, ...]:
        """Return the documents of an included file, which must be in the linted paths or the current folder."""
        real = os.path.realpath(file)
        if not any(os.path.commonpath((real, root)) == root for root in self._roots):
            raise PermissionError(file)
        return formats.read(os.path.normpath(file), raw=self._unsaved.get(real))


def _mentioned(document: Document) -> Iterator[str]:
    """Yield the files that a document's values name, if they exist: relative to its folder or the current one."""
    for text in (entry.value for entry in document.entries):
        if isinstance(text, str) and _is_reference(text):
            places = (
                os.path.normpath(os.path.join(base, text))
                for base in (os.path.dirname(document.file), ".")
            )
            yield from itertools.islice(
                (file for file in places if _is_other_file(file, document.file)), 1
            )


def _is_reference(text: str) -> bool:
    """Check whether a value looks like a relative path of a configuration."""
    named = len(text) <= 300 and text.endswith((".json", ".yaml", ".yml", ".toml"))
    return named and not (
        os.path.isabs(text) or ".." in text.split("/") or "\0" in text
    )


def _is_other_file(file: str, own: str) -> bool:
    return os.path.isfile(file) and not os.path.samefile(file, own)


def _judged(found: Sequence[Run]) -> tuple[Finding, ...]:
    """Return the findings of all runs; one that several runs share is reported once."""
    from .rules import judge

    merged: dict[tuple[object, ...], Finding] = {}
    for run in found:
        for finding in judge(run):
            merged.setdefault(
                (finding.rule, finding.message, finding.location, finding.related),
                finding,
            )
    return tuple(sorted((replace(f) for f in merged.values()), key=_order))


def _order(finding: Finding) -> tuple[int, str, int, int, str]:
    rank = ("error", "warning", "hint").index(finding.severity)
    at = finding.location
    return rank, at.file, at.line, at.column, finding.rule
