"""Lines of text for a page of so many columns: titled, labelled, wrapped, cut."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.text import Text

from .wording import printable

LABEL = 7


def titled(head: Text, text: str, width: int, indent: int) -> Iterator[Text]:
    """Yield a title after its head; what does not fit beside it is continued below, indented by `indent`."""
    first, *more = wrapped(text, width, head.cell_len + 2, indent)
    yield Text.assemble(head, (f"  {first}", "bold"))
    yield from (Text(" " * indent + line, "bold") for line in more)


def behind(head: Text, text: str, width: int) -> Iterator[Text]:
    """Yield a text after its head; what does not fit beside it is continued below."""
    first, *more = wrapped(text, width, head.cell_len, 2)
    yield Text.assemble(head, first)
    yield from (Text(f"  {line}") for line in more)


def labelled(  # noqa: PLR0913 - the parts of a line
    label: str,
    text: str,
    width: int,
    colour: str = "",
    whole: str = "",
    column: int = LABEL,
) -> Iterator[Text]:
    """Yield a text after its label, in as many lines as it needs."""
    head, indent = f"  {label:{column}} ", column + 3
    for line in wrapped(text, width, len(head), indent):
        yield Text.assemble((head, colour), (line, whole))
        head = " " * indent


def wrapped(text: str, width: int, first: int, rest: int) -> list[str]:
    """Return lines of at most `width` cells, after `first` cells on the first line and `rest` on the others."""
    wrapper = textwrap.TextWrapper(
        width=max(width, 40),
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_on_hyphens=False,
    )
    return [line.strip() for line in wrapper.wrap(text) or [""]]


def one_line(text: str) -> str:
    """Return what a program or torch says, on one line."""
    return printable(" ".join(text.split()))


def cut(text: str, room: int) -> str:
    """Return as much of a text as fits, on one line."""
    text = one_line(text)
    return text if len(text) <= room else f"{text[: max(room - 1, 1)]}…"
