"""How a command tells what it found: `--format`, `--output`, and a report that is told even where its format fails."""

from __future__ import annotations

import argparse
from functools import cached_property
from typing import TYPE_CHECKING, TextIO

from ..core.atomic_write import write_atomically
from ..core.frozen import replace
from .refusal import RefusedError, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..report import Report
    from ..report.growing_text import GrowingText
    from ..report.jsonl import JsonLines


def add_format(
    parser: argparse.ArgumentParser,
    output: str = "write the report to FILE instead of stdout",
) -> None:
    """Add the options for the format of the report and its file; formats are found when the command runs."""
    # fmt: off
    parser.add_argument("--format", default="text", metavar="F",
        help="text (default), json, jsonl, html, sarif, junit, github, gitlab, markdown, …")
    parser.add_argument("-q", "--quiet", action="store_true",
        help="print nothing if nothing is found; no progress line")
    parser.add_argument("--no-progress", action="store_true", help="no progress line")
    parser.add_argument("--output", type=named, metavar="FILE", help=output)
    # fmt: on


def _silent(report: Report, options: argparse.Namespace) -> bool:
    """Check whether there is nothing to say that `--quiet` leaves."""
    told = report.findings or report.ended or report.failed
    return getattr(options, "quiet", False) and not told


def known_format(options: argparse.Namespace) -> None:
    """Raise RefusedError for an unknown format, with the known ones, before anything else is done."""
    from ..report import renderer

    try:
        renderer(options.format)
    except ValueError as error:
        raise RefusedError(error) from error


class Live:
    """Tells a report while it grows: into the file that is asked for, on a terminal, or as lines of JSON; else not."""

    def __init__(
        self, options: argparse.Namespace, stream: TextIO, aside: Callable[[], None]
    ) -> None:
        """Start with `aside`, which clears the progress line for the report."""
        self._options, self._stream, self._aside = options, stream, aside
        as_text = options.format == "text" and stream.isatty()
        self.on_stream = not options.output and (as_text or options.format == "jsonl")
        self.wanted = bool(self.on_stream or options.output)

    @cached_property
    def writer(self) -> GrowingText | JsonLines:
        """The writer of the format, which is imported when needed."""
        if self._options.format == "jsonl":
            from ..report.jsonl import JsonLines

            return JsonLines(self._stream)
        from ..report.growing_text import GrowingText

        return GrowingText(self._stream, verbose=self._options.verbose)

    def grown(self, report: Report) -> None:
        """Report what is new; a failure in this is left to the whole report."""
        if self._options.output:
            tell(report, self._options, self._stream)
        elif self.on_stream:
            self._aside()
            try:
                self.writer.grown(report)
            except Exception:  # noqa: BLE001 - the stream's, or Miscast's own
                self.on_stream = False


def tell(
    report: Report,
    options: argparse.Namespace,
    stream: TextIO,
    *,
    what: str = "report",
    live: Live | None = None,
) -> Report:
    """Write the report to the requested file, else to the stream; return it with any failure of that.

    Of one that is `live` the rest is written. Raises RefusedError where that file, which has `what` was found, cannot
    be written.
    """
    from ..report import plain, text
    from ..report.invocation import Invocation

    output = getattr(options, "output", None)
    verbose = getattr(options, "verbose", False)
    try:
        if output is None and options.format == "text" and _silent(report, options):
            return report
        if live is not None and live.on_stream:
            live.writer.ended(report)
            return report
        if output is None and options.format == "text":
            text.show(report, stream, verbose=verbose)
            return report
        invoked = replace(report, invocation=Invocation.of(options))
        rendered = _rendered(invoked, options.format, verbose=verbose)
    except OSError:  # the stream's: nobody reads, or the disk is full
        raise
    except Exception as error:  # noqa: BLE001 - Miscast's own; the findings are told all the same
        report = plain.failing(report, error)
        rendered = (
            plain.as_json(report) if options.format == "json" else plain.as_text(report)
        )
    if output is None:
        stream.write(rendered)
        return report
    try:
        _replace(output, rendered.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise RefusedError(
            f"cannot write the {what} to {output}: {error.strerror}"
        ) from error
    return report


def _rendered(report: Report, form: str, *, verbose: bool) -> str:
    from ..report import renderer, text

    if form == "text":
        return text.render(report, verbose=verbose)
    return f"{renderer(form)(report).rstrip()}\n"


def _replace(file: str, content: bytes) -> None:
    """Write the whole file at once, so that no partial report is visible; in place if the folder forbids new files."""
    try:
        write_atomically(file, content)
    except PermissionError:
        with open(file, "wb") as report:
            report.write(content)
