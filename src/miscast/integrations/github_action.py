"""Implement the steps of `action.yml`: run the commands in its inputs, and report all of it once.

    python -m miscast.integrations.github_action run FOLDER     FOLDER/lint.json, check-1.json, …, and .run of each
    python -m miscast.integrations.github_action tell FOLDER    FOLDER/miscast.sarif, comment.md, the summary, outputs

Inputs come in the environment, and each is an argument of its own: no shell reads them. The comment has a section for
each command, of the `markdown` format; the job's log has them as text.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter

from ..core.atomic_write import write_atomically
from ..core.finding import Finding
from ..report import Report, reading, renderer, text
from ..report.markdown import within
from ..report.markup import code, fenced, size

MARK = "<!-- miscast -->"
"""The start of Miscast's comment, by which a later run finds it."""
_MOST = 60_000  # bytes; GitHub takes 65,536 characters
_SHORT, _ROOM = 200, 100


def main(argv: Sequence[str]) -> int:
    """Do a step; its exit code."""
    step, folder = argv
    os.makedirs(folder, exist_ok=True)
    return {"run": run, "tell": tell}[step](folder)


def run(folder: str) -> int:
    """Save each command's report as JSON, and its stderr. Returns 0 always: the verdict follows after all reports."""
    machine = os.environ.get("MISCAST_MACHINE", "").strip()
    given = ["--machine", machine] if machine else []
    paths = _lines("MISCAST_LINT")
    if paths:
        _command(folder, "lint", ["lint", *given, "--", *paths])
    for number, line in enumerate(_lines("MISCAST_CHECK"), 1):
        try:
            words = shlex.split(line)
        except ValueError as error:
            _keep(folder, f"check-{number}", line, 2, f"miscast: {error}")
            continue
        _command(folder, f"check-{number}", ["check", *given, *words])
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The results of a command line: its report, if any, its exit code, and Miscast's last line."""

    line: str
    code: int
    said: str
    report: Report | None

    @property
    def lint(self) -> bool:
        """True if settings were read, and nothing was run."""
        return self.line.startswith("miscast lint ")


def tell(folder: str) -> int:
    """Return all that was found as SARIF, as a comment and as the job's summary. The verdict is an output."""
    runs = tuple(_runs(folder))
    comment = "\n".join([MARK, *_sections(runs), ""])
    _write(f"{folder}/comment.md", comment)
    _append("GITHUB_STEP_SUMMARY", comment)
    report = _together(runs)
    sarif = ""
    try:
        rendered = renderer("sarif")(report) if report is not None else ""
    except ValueError as error:
        print(f"no SARIF: {error}", file=sys.stderr)
    else:
        if rendered:
            sarif = f"{folder}/miscast.sarif"
            _write(sarif, rendered)
    for one in runs:
        print(*filter(None, [_told(one.report), one.said]), sep="\n")
    worst = max((one.code if one.code in (0, 1) else 2 for one in runs), default=0)
    _append("GITHUB_OUTPUT", f"code={worst}\nsarif={sarif}\n")
    return 0


def _sections(runs: Sequence[Run]) -> Iterator[str]:
    """Yield the Markdown report of each command; all have the same room."""
    room = _MOST // max(len(runs), 1)
    for one in runs:
        told = "\n".join(_section(one, room))
        if size(told) > room:
            told = f"{code(one.line[:_SHORT])}: exit code {one.code}"
        yield told


def _section(one: Run, room: int) -> Iterator[str]:
    yield f"{code(one.line[:_SHORT])}\n"
    if one.report is not None:
        # JSON does not say whose it is
        yield within(
            replace(one.report, command="lint" if one.lint else "check"),
            room - size(one.line[:_SHORT]) - size(one.said) - _ROOM,
        )
    if one.said:
        yield from fenced(one.said)
        yield ""


def _command(folder: str, name: str, words: list[str]) -> None:
    kept = f"{folder}/{name}.json"
    command = [words[0], "--format", "json", "--output", kept, *words[1:]]
    print("miscast", shlex.join(words), flush=True)
    done = subprocess.run(  # noqa: S603 - this command line
        [sys.executable, "-m", "miscast", *command], stderr=subprocess.PIPE, check=False
    )
    said = done.stderr.decode("utf-8", "replace")
    sys.stderr.write(said)
    # of what the program prints, only the last word of Miscast's
    last = [line for line in said.splitlines() if line.startswith("miscast: ")][-1:]
    _keep(folder, name, shlex.join(words[1:]), done.returncode, "\n".join(last))


def _keep(folder: str, name: str, line: str, code: int, said: str) -> None:
    kept = {
        "line": f"miscast {name.partition('-')[0]} {line}",
        "code": code,
        "said": said,
    }
    _write(f"{folder}/{name}.run", json.dumps(kept))


def _runs(folder: str) -> Iterator[Run]:
    """Yield the result of each command line, in the order of the inputs."""
    names = [
        file.removesuffix(".run") for file in glob.glob(f"{glob.escape(folder)}/*.run")
    ]
    for name in sorted(
        names, key=lambda one: (not one.endswith("lint"), len(one), one)
    ):
        report = None
        # none, or half of one: the exit code tells
        with contextlib.suppress(ValueError, OSError):
            report = reading.loads(_read(f"{name}.json"))
        yield Run(**json.loads(_read(f"{name}.run")), report=report)


def _together(runs: Sequence[Run]) -> Report | None:
    """Return one report of all: a run of SARIF is one, and GitHub takes one of a category.

    Without what is suppressed: code scanning reads no `suppressions`, each would stand there as an open alert
    (github/codeql-action, issue 1230). One that is gone is closed as fixed.
    """
    reports = [one.report for one in runs if one.report is not None]
    if not reports:
        return None
    findings: list[Finding] = []
    for report in reports:
        findings += _behind(report.findings, len(findings))
    notes = chain.from_iterable(one.notes for one in reports)
    return replace(
        max(reports, key=lambda one: one.ops),
        findings=tuple(findings),
        sections=(),
        notes=tuple(dict.fromkeys(notes)),
        ended=next(filter(None, (one.ended for one in reports)), None),
        failed=next(filter(None, (one.failed for one in reports)), None),
        ops=sum(map(attrgetter("ops"), reports)),
        unchecked=sum((Counter(one.unchecked) for one in reports), Counter()),
        assumed=tuple(chain.from_iterable(one.assumed for one in reports)),
    )


def _behind(findings: Sequence[Finding], others: int) -> Iterator[Finding]:
    """Yield the findings, renumbered to follow so many others."""
    for finding in findings:
        cause = finding.consequence_of
        yield replace(finding, consequence_of=None if cause is None else cause + others)


def _told(report: Report | None) -> str:
    return "" if report is None else text.render(report).rstrip()


def _lines(name: str) -> list[str]:
    lines = os.environ.get(name, "").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _read(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as stream:
        return stream.read()


def _write(file: str, content: str) -> None:
    write_atomically(file, content.encode("utf-8", "replace"))


def _append(name: str, content: str) -> None:
    """Append to a file that the runner reads; does nothing without a runner."""
    if file := os.environ.get(name):
        with open(file, "a", encoding="utf-8", errors="replace") as stream:
            stream.write(content)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
