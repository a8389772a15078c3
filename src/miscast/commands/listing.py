"""Lists and pages as wide as the terminal; in a pipe a line each, as they are, for who looks for something in them."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator


def listed(lines: Iterable[str], column: int) -> None:
    """Print the lines of a list; what does not fit is continued below, from a column on."""
    width = _terminal()
    for line in lines:
        print(line if not width else _fitted(line, width, column))


def reflowed(text: str) -> None:
    """Print a page: paragraphs as wide as the terminal, indented and listed lines unchanged."""
    width = _terminal()
    print("\n\n".join(_paragraphs(text, width)) if width else text)


def _paragraphs(text: str, width: int) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        head, _, rest = paragraph.partition("\n")
        if head.startswith("#") and rest:
            yield f"{head}\n{_filled(rest, width)}"
        else:
            yield _filled(paragraph, width)


def _filled(text: str, width: int) -> str:
    laid_out = re.search(r"(?m)^(?:[ #|>]|[-*] |\d+\. )", text)
    return text if laid_out else textwrap.fill(text, width, break_on_hyphens=False)


def _fitted(line: str, width: int, column: int) -> str:
    return textwrap.fill(
        line, width, subsequent_indent=" " * column, break_on_hyphens=False
    )


def _terminal() -> int:
    """Return the terminal's width; 0 if there is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
