"""Texts of programs within GitHub's Markdown: nothing that they say becomes markup, a mention or a link.

A name with a bar breaks no table, one with angle brackets is no HTML, one with an at sign calls nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from .lines import one_line
from .wording import printable

_MARKS = re.compile(r"([\\*_\[\]|~#])")
_SPECIAL = frozenset("\\*_[]|~#`&<>")
_RUNS = re.compile(r"`+")


def cell(text: str) -> str:
    """Escape a text within a line: operands in backticks stay code, all else is literal text."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0:  # one that stands alone opens nothing
        return _words("'".join(parts))
    return "".join(
        code(part) if index % 2 else _words(part) for index, part in enumerate(parts)
    )


def code(text: str) -> str:
    """Return a text as code within a line, also within a table, whose cells end at each bar."""
    text = one_line(text)
    if "|" in text or "<" in text:  # which would end a cell, or begin HTML
        return f"<code>{summary(text)}</code>"
    if "`" not in text:
        return f"`{text}`" if text else ""
    fence = "`" * (_longest(text) + 1)
    return f"{fence} {text} {fence}"


def fenced(text: str) -> Iterator[str]:
    """Yield lines as a block of code, which nothing in them ends."""
    fence = "`" * max(3, _longest(text) + 1)
    yield f"{fence}text"
    yield from map(printable, text.split("\n"))
    yield fence


def summary(text: str) -> str:
    """Escape a text within HTML: possible markup is written as entities, which are literal everywhere."""
    return _silent(
        "".join(f"&#{ord(c)};" if c in _SPECIAL else c for c in one_line(text))
    )


def fitting(lines: Iterable[str], room: int) -> list[str]:
    """Return the first lines, as many as fit into so many bytes."""
    kept = []
    for line in lines:
        room -= size(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def size(text: str) -> int:
    """Return the size in bytes."""
    return len(text.encode("utf-8", "replace"))


def _words(text: str) -> str:
    return _silent(_MARKS.sub(r"\\\1", escape(text, quote=False)))


def _silent(text: str) -> str:
    """Prevent mentions with an invisible space after the at sign."""
    return text.replace("@", "@\u200b")


def _longest(text: str) -> int:
    return max(map(len, _RUNS.findall(text)), default=0)
