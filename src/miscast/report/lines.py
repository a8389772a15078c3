"""Lines of text for a page of so many columns: wrapped, labelled, cut."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.text import Text

from .wording import printable


def labelled(  # noqa: PLR0913 - the parts of a line
    label: str, text: str, width: int, colour: str, whole: str = "", column: int = 6
) -> Iterator[Text]:
    """A text behind its label, as many lines as it takes."""
    indent = column + 4
    for index, line in enumerate(wrapped(text, width, indent, indent)):
        head = f"  {label:{column}}  " if index == 0 else " " * indent
        yield Text.assemble((head, colour), (line, whole))


def wrapped(text: str, width: int, first: int, rest: int) -> list[str]:
    """Lines of at most `width` cells, after `first` cells on the first line and `rest` on the others."""
    text = printable(" ".join(text.split()))
    wrapper = textwrap.TextWrapper(
        width=max(width, 40), initial_indent=" " * first, subsequent_indent=" " * rest, break_on_hyphens=False
    )
    return [line.strip() for line in wrapper.wrap(text) or [""]]


def cut(text: str, room: int) -> str:
    """As much of a text as fits, on one line."""
    text = printable(" ".join(text.split()))
    return text if len(text) <= room else f"{text[: max(room - 1, 1)]}…"
