"""Cells that cannot run, told by `lint` from their command line and their configurations, without a run."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...core.event import Location
from ...core.finding import Finding
from ...lint import lint
from .cell import Cell

_FORMATS = (".yaml", ".yml", ".json", ".toml")


def impossible(
    target: str, args: Sequence[str], cell: Cell, written: Mapping[str, bytes]
) -> tuple[Finding, ...]:
    """Return the settings of a cell that the program's libraries refuse at its start."""
    words = [*args, *cell.arguments]
    files = [word for word in _values(words) if _is_configuration(word)]
    with tempfile.TemporaryDirectory(prefix="miscast-") as folder:
        command = os.path.join(folder, "command.sh")
        places = {command: "the command line"}
        with open(command, "w", encoding="utf-8") as file:
            file.write(_command(target, words, cell.environment))
        for number, path in enumerate(files):
            content = written.get(os.path.abspath(path))
            if content is not None:
                files[number] = os.path.join(
                    folder, f"{number}-{os.path.basename(path)}"
                )
                places[files[number]] = path
                with open(files[number], "wb") as copy:
                    copy.write(content)
        found = lint([command, *files], cell.machine).report.findings
    return tuple(
        _placed(finding, places)
        for finding in found
        if finding.severity == "error" and not finding.error.startswith("silent")
    )


def _command(target: str, words: Sequence[str], environment: Mapping[str, str]) -> str:
    launchers = ("accelerate", "torchrun", "deepspeed", "python")
    program = [] if target.startswith(launchers) else ["python"]
    variables = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    typed = shlex.join([*program, *shlex.split(target), *words])
    return f"{' '.join([*variables, typed])}\n"


def _values(words: Sequence[str]) -> list[str]:
    """Return the words, and for an option the part after its "="."""
    return [
        word.partition("=")[2] if word.startswith("-") and "=" in word else word
        for word in words
    ]


def _is_configuration(word: str) -> bool:
    return word.endswith(_FORMATS) and os.path.isfile(word)


def _placed(finding: Finding, places: Mapping[str, str]) -> Finding:
    """Return the finding with the file's own name instead of its copy's."""

    def own(at: Location) -> Location:
        return replace(at, file=places.get(at.file, at.file))

    return replace(
        finding,
        location=own(finding.location),
        related=tuple(replace(r, location=own(r.location)) for r in finding.related),
        fixes=tuple(replace(fix, edits=()) for fix in finding.fixes),
    )
