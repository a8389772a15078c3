"""Write lines for a person: in colour and full width on a terminal, plain in a pipe."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

from rich.text import Text

from ..core.frozen import dataclass

if TYPE_CHECKING:
    from rich.console import Console

WIDEST = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim:
    """Text for a program, as a patch: piped unchanged, with tabs and line ends, and `shown` on a terminal."""

    text: str
    shown: tuple[Text, ...]


Line = Text | Verbatim


class Page:
    """A stream that takes lines of Rich text, as they are: who makes them wraps them to `width`."""

    def __init__(self, file: TextIO, *, width: int, most: int = WIDEST) -> None:
        """Use `width` if no terminal gives its own; `most` is the widest that is used of a terminal."""
        self.file = file
        self._console = _terminal(file)
        self.is_terminal = self._console is not None
        self.width = min(self._console.width, most) if self._console else width

    def put(self, lines: Iterable[Line]) -> None:
        """Print all of the lines, or none, where one of them cannot be made."""
        told = list(lines)
        if self._console is None:
            self.file.write(plain(told))
            return
        for line in shown(told):
            self._console.print(line, soft_wrap=True)


def plain(lines: Iterable[Line]) -> str:
    """Return the lines without colour, each with its end."""
    return "".join(
        line.text if isinstance(line, Verbatim) else f"{line.plain}\n" for line in lines
    )


def shown(lines: Iterable[Line]) -> Iterator[Text]:
    """Yield the lines as a person sees them."""
    for line in lines:
        yield from line.shown if isinstance(line, Verbatim) else (line,)


def _terminal(file: TextIO) -> Console | None:
    # Rich decides, but its console takes 50 ms to import: it is asked only where it could say yes.
    if not (
        getattr(file, "isatty", bool)()
        or {"FORCE_COLOR", "TTY_COMPATIBLE"} & os.environ.keys()
    ):
        return None
    from rich.console import Console

    console = Console(file=file, force_jupyter=False, highlight=False)
    return console if console.is_terminal else None
