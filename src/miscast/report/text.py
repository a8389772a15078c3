"""The report for a person, as text.

    error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
      train.py:112  unet.time_embedding.linear_1           emb = unet.time_embedding(t_emb)
      input   float32  promoted by cat at train.py:109     x = torch.cat([latent, mask], dim=1)
           ←  float32  created at train.py:98              mask = torch.ones(n, 1, 64, 64)
      weight  float16  cast at train.py:41                 unet = unet.half()
      help    give `ones` its dtype at train.py:98: torch.ones(n, 1, 64, 64, dtype=torch.float16)  safe
      torch   RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half
      └ also  conv2d at train.py:112
      └ also  3 more that follow

Where the code does not fit beside the rest, it stands on a line of its own. A finding is told in at most twelve lines,
unless the report is to be `verbose`. The findings come first, each a paragraph, then the sections, then what was run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

from rich.text import Text

from ..core.frozen import dataclass
from .lines import labelled, one_line
from .page import WIDEST, Line, Page, plain
from .paragraphs import paragraphs, summary

if TYPE_CHECKING:
    from .report import Command, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """The default width of a report without a terminal, and its maximum. `own`: a section reports the findings."""

    width: int
    most: int = WIDEST
    own: bool = False


_LAYOUTS: dict[Command, _Layout] = {
    "check": _Layout(width=100), "lint": _Layout(width=100), "fix": _Layout(width=80, most=120, own=True),
    "explain": _Layout(width=80, most=120), "shadow": _Layout(width=100), "matrix": _Layout(width=100),
    "flight": _Layout(width=100, most=160, own=True), "plan": _Layout(width=100),
}  # fmt: skip


def render(report: Report, *, width: int = 0, verbose: bool = False) -> str:
    """Return the report without colour; `width` 0 is the one that is usual for its command."""
    usual = _LAYOUTS[report.command].width
    return plain(lines(report, width or usual, verbose=verbose))


def page_on(file: TextIO, command: Command) -> Page:
    """Return the page that a command writes to."""
    layout = _LAYOUTS[command]
    return Page(file, width=layout.width, most=layout.most)


def show(report: Report, file: TextIO, *, verbose: bool = False) -> None:
    """Print the report: in colour and in the terminal's width on a terminal, plain where it is piped."""
    page = page_on(file, report.command)
    page.put(lines(report, page.width, verbose=verbose))


def lines(report: Report, width: int, *, verbose: bool = False) -> Iterator[Line]:
    """Yield the report's lines, none wider than `width` if possible; `verbose`: nothing is left out."""
    told = False
    for block in filter(None, map(list, _blocks(report, width, verbose=verbose))):
        if told:
            yield Text()
        yield from block
        told = True


def _blocks(report: Report, width: int, *, verbose: bool) -> Iterator[Iterable[Line]]:
    if not _LAYOUTS[report.command].own:
        yield from paragraphs(report.findings, width, verbose=verbose, numbered=True)
    yield from closing(report, width, verbose=verbose)


def closing(report: Report, width: int, *, verbose: bool) -> Iterator[Iterable[Line]]:
    """Yield what follows the findings: the sections, and what was run."""
    for section in report.sections:
        yield section.lines(width)
    if report.command in ("check", "matrix"):
        yield summary(report, width, verbose=verbose)
    elif report.command == "shadow" and report.failed:
        yield labelled("failed", one_line(report.failed), width, "yellow")
