"""Explanations on a terminal: the text of `text.py` in colour, and in the terminal's width. Plain where it is piped."""

from __future__ import annotations

import re
from typing import TextIO

from . import text
from .explanation import Explanation

_ROW = re.compile(r"  (\S.{0,60}?)(?: |$)")
_LABELS = {"cause": "bold cyan", "or": "cyan", "help": "bold green", "error": "dim", "lines": "dim"}


def show(found: tuple[Explanation, ...], file: TextIO) -> None:
    """Print the explanations: in colour if `file` is a terminal and NO_COLOR is not set."""
    if not file.isatty():
        file.write(text.render(found))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, force_jupyter=False, highlight=False)
    for line in text.render(found, width=min(console.width, 120)).splitlines():
        styled = Text(line)
        row = _ROW.match(line)
        category, gap, title = line.partition("  ")
        if line and not line.startswith(" ") and gap:
            styled.stylize("bold red", 0, len(category))
            styled.stylize("bold", len(line) - len(title), len(line))
        elif row is not None and row[1] in _LABELS:
            styled.stylize(_LABELS[row[1]], *row.span(1))
        console.print(styled, soft_wrap=True)
