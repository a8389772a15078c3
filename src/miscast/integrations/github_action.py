"""What the steps of `action.yml` do: run what its inputs name, and tell all of it once.

    python -m miscast.integrations.github_action run FOLDER     FOLDER/lint.json, check-1.json, …, and .log of each
    python -m miscast.integrations.github_action tell FOLDER    FOLDER/miscast.sarif, comment.md, the summary, outputs

Inputs come in the environment, and each is an argument of its own: no shell reads them.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..atomic_write import write_atomically
from ..finding import Finding
from ..report import Report, reading, renderer, text
from ..report.markup import fenced

MARK = "<!-- miscast -->"
"""How a comment of ours begins; a later run finds it by that."""
_MOST = 60_000  # characters; GitHub takes 65,536


def main(argv: Sequence[str]) -> int:
    """Do a step; its exit code."""
    step, folder = argv
    os.makedirs(folder, exist_ok=True)
    return {"run": run, "tell": tell}[step](folder)


def run(folder: str) -> int:
    """Each command's report as JSON, and what it says on stderr; 0 always: the verdict comes once all was told."""
    machine = os.environ.get("MISCAST_MACHINE", "").strip()
    given = ["--machine", machine] if machine else []
    paths = _lines("MISCAST_LINT")
    if paths:
        _command(folder, "lint", ["lint", *given, "--", *paths])
    for number, line in enumerate(_lines("MISCAST_CHECK"), 1):
        try:
            words = shlex.split(line)
        except ValueError as error:
            _keep(folder, f"check-{number}", 2, f"{line[:200]}: {error}")
            continue
        _command(folder, f"check-{number}", ["check", *given, *words])
    return 0


def tell(folder: str) -> int:
    """All that was found as SARIF, as a comment and as the job's summary. The verdict is an output."""
    report, code = _together(folder)
    said = [
        _read(log).strip() for log in sorted(glob.glob(f"{glob.escape(folder)}/*.log"))
    ]
    words = "\n".join(filter(None, [*_told(report), *said]))
    comment = "\n".join([MARK, *fenced(words[:_MOST]), ""])
    _write(f"{folder}/comment.md", comment)
    _append("GITHUB_STEP_SUMMARY", comment)
    sarif = ""
    try:
        rendered = renderer("sarif")(report) if report is not None else ""
    except ValueError as error:
        print(f"no SARIF: {error}", file=sys.stderr)
    else:
        if rendered:
            sarif = f"{folder}/miscast.sarif"
            _write(sarif, rendered)
    print(words)
    _append("GITHUB_OUTPUT", f"code={code}\nsarif={sarif}\n")
    return 0


def _command(folder: str, name: str, words: list[str]) -> None:
    kept = f"{folder}/{name}.json"
    command = [words[0], "--format", "json", "--output", kept, *words[1:]]
    print("miscast", shlex.join(words), flush=True)
    done = subprocess.run(  # noqa: S603 - this command line
        [sys.executable, "-m", "miscast", *command],
        stderr=subprocess.PIPE,
        check=False,
    )
    said = done.stderr.decode("utf-8", "replace")
    sys.stderr.write(said)
    # of what the program prints, only the last word of Miscast's
    last = [line for line in said.splitlines() if line.startswith("miscast: ")][-1:]
    _keep(folder, name, done.returncode, "\n".join(last))


def _keep(folder: str, name: str, code: int, said: str) -> None:
    _write(f"{folder}/{name}.code", str(code))
    _write(f"{folder}/{name}.log", said)


def _together(folder: str) -> tuple[Report | None, int]:
    """One report of all, and the worst of their exit codes."""
    codes = [int(_read(file)) for file in glob.glob(f"{glob.escape(folder)}/*.code")]
    reports = []
    for file in sorted(glob.glob(f"{glob.escape(folder)}/*.json")):
        with contextlib.suppress(ValueError):  # half of one; its exit code tells
            reports.append(reading.loads(_read(file)))
    findings: list[Finding] = []
    for report in reports:
        findings += _behind(report.findings, len(findings))
    whole = replace(reports[0], findings=tuple(findings)) if reports else None
    return whole, max((code if code in (0, 1) else 2 for code in codes), default=0)


def _behind(findings: Sequence[Finding], others: int) -> Iterator[Finding]:
    """Findings that so many others stand before."""
    for finding in findings:
        cause = finding.consequence_of
        yield replace(finding, consequence_of=None if cause is None else cause + others)


def _told(report: Report | None) -> list[str]:
    if report is None:
        return []
    told = text.render(report).rstrip()
    # settings alone were read: nothing ran
    return [told if report.ops else re.sub(r"(?m) · 0 ops on .*$", "", told)]


def _lines(name: str) -> list[str]:
    lines = os.environ.get(name, "").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _read(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as stream:
        return stream.read()


def _write(file: str, content: str) -> None:
    write_atomically(file, content.encode("utf-8", "replace"))


def _append(name: str, content: str) -> None:
    """To a file that the runner reads; none where there is no runner."""
    if file := os.environ.get(name):
        with open(file, "a", encoding="utf-8", errors="replace") as stream:
            stream.write(content)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
