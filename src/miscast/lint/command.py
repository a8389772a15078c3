"""`miscast lint`: arguments → findings → stdout or a file → exit code."""

from __future__ import annotations

import argparse
import os
import sys

from . import Outcome, json, lint, telling


def run(options: argparse.Namespace) -> int:
    """0 nothing found, 1 findings, 2 a file could not be read. Raises ValueError with one line for a wrong request."""
    if options.format not in ("text", "json"):
        raise ValueError(f"unknown format {options.format[:40]!r}: known are json, text")
    outcome = lint(options.paths, options.machine)
    if options.fix:
        _fix(outcome)
        outcome = lint(options.paths, options.machine)
    if options.output:
        _save(outcome, options)
    elif options.format == "json":
        print(json.render(outcome))
    else:
        telling.show(outcome, sys.stdout)
    for broken in outcome.broken:
        print(f"miscast: {broken}", file=sys.stderr)
    if outcome.broken:
        return 2
    return 1 if outcome.report.findings else 0


def _fix(outcome: Outcome) -> None:
    from . import fixing  # tempfile, and what it imports, only where it is needed

    for file, edits in fixing.safe(outcome.report.findings).items():
        try:
            count = fixing.write(file, edits.values())
        except OSError as error:
            raise ValueError(f"cannot write {file}: {error.strerror}") from error
        print(f"fixed {count} line{'' if count == 1 else 's'} of {os.path.relpath(file)}", file=sys.stderr)


def _save(outcome: Outcome, options: argparse.Namespace) -> None:
    text = json.render(outcome) if options.format == "json" else telling.as_text(outcome)
    try:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text.rstrip("\n") + "\n")
    except OSError as error:
        raise ValueError(f"cannot write the report to {options.output}: {error.strerror}") from error
