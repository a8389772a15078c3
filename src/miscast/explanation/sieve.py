"""Select a block's lines that may matter. Most differ from earlier, irrelevant ones only in their numbers.

The words that stand in every message (`recognise.ANCHORS`) are looked for once in each kind of line.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heapreplace

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from ..core.regex import regex
from .recognise import ANCHORS

_SILENT = 4096
_STRIKES = 4
_COUNTED = b"0123456789.,:;+-%"
"""Characters in which lines that a loop prints differ."""
_NAMED = regex(rb"\b[0-9a-f]{6,16}\b")
"""Hashes of runs, commits and addresses, in which they differ too."""
_HEXADECIMAL = b"0123456789abcdef.,:;+-%"
"""Characters of numbers and hashes. Without them, lines of different words are hardly ever equal."""
_SAMPLE = 32 << 10
_WORDS = tuple(
    (word.encode(), word.encode().translate(None, _COUNTED)) for word in ANCHORS
)
_SEARCH = BytesAhoCorasick(
    [word for word, _ in _WORDS],
    # by this kind it looks at many bytes at once: four times as fast
    matchkind=MatchKind.LeftmostFirst,
)


def bare(line: bytes) -> bytes:
    """Return what a line, in lower case, is counted by: without its numbers and hashes."""
    return _NAMED.sub(b"", line).translate(None, _COUNTED)


class Repeated:
    """Lines without their numbers that said nothing, as "epoch precision recall", and how often.

    What the next line may go on with is looked at a few times, then it is a line that a loop prints.
    """

    def __init__(self) -> None:
        """Begin with no line."""
        self._counts: dict[bytes, int] = {}
        self.silent: set[bytes] = set()
        """Lines of which one was skipped, without what hashes are made of."""

    def skipped(self, bare: bytes) -> bool:
        """Check whether a line was looked at often enough."""
        return self._counts.get(bare, 0) >= _STRIKES

    def add(self, bare: bytes, *, alone: bool) -> None:
        """Count a line that said nothing: `alone`, whatever the next ones say."""
        if len(self._counts) >= _SILENT:
            self._counts.clear()
        self._counts[bare] = _STRIKES if alone else self._counts.get(bare, 0) + 1

    def silence(self, line: bytes) -> None:
        """Remember a skipped line; a block that has only such lines is skipped as a whole."""
        if len(self.silent) >= _SILENT:
            self.silent.clear()
        self.silent.add(line.translate(None, _HEXADECIMAL))


class Places:
    """Positions of words in a block, from its start on."""

    def __init__(self, low: bytes, words: list[bytes]) -> None:
        """Take a block in lower case, and the words to look for."""
        self._low = low
        self._next = [(-1, word) for word in words]  # a heap

    def first(self, start: int) -> int | None:
        """Return the first place of any of the words from `start` on, which only grows."""
        while self._next and self._next[0][0] < start:
            word = self._next[0][1]
            place = self._low.find(word, start)
            if place < 0:
                heappop(self._next)
            else:
                heapreplace(self._next, (place, word))
        return self._next[0][0] if self._next else None


def present(low: bytes, repeated: Repeated) -> list[bytes]:
    """Return the words that may occur in a block.

    Looked for once in each line that differs by more than its numbers, or by more than hashes; of a text, in all of it.
    """
    if _is_alike(low, _COUNTED, 16):
        kinds = set(low.translate(None, _COUNTED).split(b"\n"))
        lines = b"\n".join(line for line in kinds if not repeated.skipped(line))
        return [word for word, bare in _WORDS if bare in lines]
    if _is_alike(low, _HEXADECIMAL, 2):
        spoken = list(_with_words(low))
        keys = b"\n".join(spoken).translate(None, _HEXADECIMAL).split(b"\n")
        shown = dict(zip(keys, spoken, strict=False))  # of no lines there is a key
        return _spoken(b"\n".join(shown[key] for key in shown.keys() - repeated.silent))
    return _spoken(low)


def _with_words(low: bytes) -> Iterator[bytes]:
    """Yield the lines that contain any of the words."""
    end = -1
    for _, start, _ in _SEARCH.find_matches_as_indexes(low):
        if start > end:
            begin, end = low.rfind(b"\n", 0, start) + 1, low.find(b"\n", start)
            end = end if end >= 0 else len(low)
            yield low[begin:end]


def _spoken(text: bytes) -> list[bytes]:
    """Return the words in a text, in one pass; of overlapping ones the first, which is on the same line."""
    found = {word for word, _, _ in _SEARCH.find_matches_as_indexes(text)}
    return [_WORDS[word][0] for word in found]


def _is_alike(low: bytes, without: bytes, times: int) -> bool:
    """Check whether a block begins as what a loop prints: each line some `times`, `without` some letters."""
    first = low[:_SAMPLE].translate(None, without).split(b"\n")
    return times * len(set(first)) <= len(first)
