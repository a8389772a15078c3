r"""A message without what people and terminals do to it: no blanks, quotes, emphasis or frames, and in lower case.

    >>> squash("expected scalar type **Half** but found\n│ Float").text
    'expectedscalartypehalfbutfoundfloat'

Messages come wrapped at the terminal's width, in quotes of many kinds, escaped in JSON, in bold, through OCR. What
is left here is the same for all of them, and short enough to hold a template against it in one pass.
"""

from __future__ import annotations

from functools import lru_cache

from ..core.frozen import dataclass

LONGEST = 6000
"""No more of a message is read, however long its line is. Characters."""

_DROPPED = (
    "[]{} \t\r\n\f\v\"'`\xb4\u2018\u2019\u201c\u201d\xab\xbb*\\\u2502\u2503|\xa0\u200b"
)
_TABLE = {ord(char): None for char in _DROPPED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalized:
    """A text as the templates see it, and as it was."""

    text: str
    source: str

    def original(self, start: int, end: int) -> str:
        """Return the part of the source from which `text[start:end]` came."""
        places = _places(self.source)
        if not start < end <= len(places):
            return ""
        return self.source[places[start] : places[end - 1] + 1]

    def word(self, start: int, end: int) -> str:
        """Return the same without what was dropped, but in its own case: for names."""
        return self.original(start, end).translate(_TABLE)


@lru_cache(maxsize=4)
def _places(source: str) -> list[int]:
    """Return the positions in the source of the squashed text's letters."""
    return [index for index, char in enumerate(source) if ord(char) not in _TABLE]


def compact(text: str) -> str:
    """Return a short text of ours in the same form."""
    return text.translate(_TABLE).lower()


def squash(source: str) -> Normalized:
    """Return the text in the form that templates are compared with, at most `LONGEST` characters of it."""
    source = source[:LONGEST]
    text = source.translate(_TABLE).lower()
    # a letter whose lower case is two
    if not source.isascii() and len(text) != len(source.translate(_TABLE)):
        source = source.encode("ascii", "replace").decode("ascii")
        text = source.translate(_TABLE).lower()
    return Normalized(text=text, source=source)
