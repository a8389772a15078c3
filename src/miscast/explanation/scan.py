"""Blocks of a log -> passages that hold a message, with the lines around them.

Most lines of a log say nothing of dtypes, and most are the same but for their numbers. So the bytes are searched for
a few words first (`recognise.ANCHORS`), each kind of line once, at the speed of `bytes.find`; only a line that has one
is cleaned and held against the templates, and only around a line that matched are the neighbours read. Kept in memory:
the last block, and `BEHIND` bytes before it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from itertools import islice

from ..core.frozen import dataclass, replace
from ..core.regex import regex
from .line import LONGEST, Line, read
from .recognise import Recognised, recognise
from .record import unfolded
from .sieve import Places, Repeated, bare, present
from .squash import squash

BEHIND = 512 << 10
AHEAD = 64 << 10
_JOINED = 16
_WIDE = 70
_TYPED = 4096
"""Bytes of what is no log but a message that somebody copied: its lines are read as if they were logged as errors."""
_NO_ERROR = regex(rb"WARN|INFO|DEBUG|[Ww]arning")
_GOES_ON = regex(
    r"rror|xception|arning|assert[ (]|xpect|must|nput type|not implemented|o operator found|dtype of|ttempt|recision"
    r"|In function|Check '|ERROR\]|equires"
)
ESCAPED = regex(r"\\n(?!n\\)")
"""A line's end as JSON writes it; not the folder of `torch\\nn\\modules`."""
_SHOWN = regex(
    r"(?:-{1,6}> ?)?\d{1,6} {1,60}(?:(?:el)?if [^\n]{0,200}:\Z|\(?[rbf]{0,2}[\"'`])|\d{1,6} {1,60}raise "
)
"""A line of code that a notebook shows with its number: what it quotes was not raised."""
_MACRO = regex(
    r"\b(?:AT|TORCH|C10|TVM)_(?:INTERNAL_)?(?:CHECK|ASSERT)\w{0,20}\(|in expansion of macro"
)
"""Source that a compiler quotes: what it says there was not raised."""
_ASSERTED = regex(r"-{1,6}> ?\d{1,6} {1,40}(assert [^\n]{1,400})\Z")
"""An assertion's line that failed, as a notebook shows it: among its neighbours, the bare exception behind a blank."""
_TESTED = regex(rb"> {3,40}(?:assert|raise) ")
"""A check's own line, as pytest marks it: what it said stands below."""
_QUOTES = regex(r"\\u201[89cdCD]")
_ENDS = ("traceback", 'file "', "during handling", "the above exception")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A message of a known pattern, where it stands."""

    found: Recognised
    number: int
    """Its line, from 1."""
    line: Line
    text: str
    """The cleaned line, with those that go on with it."""
    data: bytes
    start: int
    """The line's offset in `data`."""
    end: int

    def before(self) -> Iterator[str]:
        """Return the lines before this one of the same rank, cleaned, the nearest first."""
        return (line.text for line in self.lines_before())

    def after(self) -> Iterator[str]:
        """Return the lines after this one of the same rank, cleaned."""
        return _following(self.data, self.end, self.line.rank)

    def lines_before(self) -> Iterator[Line]:
        """Yield the lines before this one of the same rank, the nearest first."""
        at = self.start
        while at > 0:
            ends = 2 if self.data.endswith(b"\r\n", 0, at) else 1
            last = max(0, at - ends)
            carriage = self.data.rfind(b"\r", max(0, at - LONGEST), last)
            begin = max(self.data.rfind(b"\n", 0, last), carriage) + 1
            line = read(self.data[begin : min(at, begin + LONGEST)])
            if line.rank == self.line.rank:
                yield line
            at = begin

    def lines_after(self) -> Iterator[Line]:
        """Return the lines after this one of the same rank."""
        return _lines(self.data, self.end, self.line.rank)


def passages(blocks: Iterable[bytes]) -> Iterator[Passage]:
    """Yield every passage of a log that is an instance of a pattern, in order."""
    held = b""
    scanned = 0
    repeated = Repeated()
    first = 1  # the number of the first line in `held`
    stream = iter(blocks)
    block = next(stream, b"")
    while block:
        following = next(stream, b"")
        data = held + block
        stop = len(data)
        if following:
            ahead = stop - AHEAD
            stop = max(
                data.rfind(b"\n", 0, max(ahead, 0)) + 1, ahead - LONGEST, scanned
            )
        numbers = _Numbers(data, first)
        scanned = yield from _scan(data, scanned, stop, numbers, repeated)
        keep = max(0, min(scanned, stop) - BEHIND)
        keep = data.find(b"\n", keep, scanned) + 1 or keep
        first += data.count(b"\n", 0, keep)
        held, scanned = data[keep:], max(scanned, stop) - keep
        block = following


class _Numbers:
    """Line numbers of places that only go forward."""

    def __init__(self, data: bytes, first: int) -> None:
        self._data, self._at, self._number = data, 0, first

    def at(self, place: int) -> int:
        self._number += self._data.count(b"\n", self._at, place)
        self._at = max(place, self._at)
        return self._number


def _scan(
    data: bytes, start: int, stop: int, numbers: _Numbers, repeated: Repeated
) -> Generator[Passage, None, int]:
    """Yield the passages that begin between `start` and `stop`; returns how far they reach."""
    low, done = data[start:stop].lower(), start
    places = Places(low, present(low, repeated))
    while (place := places.first(done - start)) is not None:
        begin, end = _bounds(data, place + start, done)
        done = max(end, place + start + 1)
        line = low[begin - start : end - start]
        kind = bare(line)
        if repeated.skipped(kind):
            repeated.silence(line)
            continue
        number = numbers.at(begin)
        inside = tuple(_unfolded(data[begin:end], number))
        if inside:
            yield from inside
            continue
        passage, alone = _read(data, begin, end, number)
        if passage is not None:
            yield passage
        else:
            repeated.add(kind, alone=alone)
    return max(stop, done)


def _unfolded(line: bytes, number: int) -> Iterator[Passage]:
    """Return the passages of a traceback that was written as one line."""
    lines = unfolded(line)
    found = passages((lines,)) if lines else ()
    return (replace(passage, number=number) for passage in found)


def _bounds(data: bytes, place: int, done: int) -> tuple[int, int]:
    """Return the line around a place; of a longer one, a window."""
    begin, end = max(done, place - LONGEST // 2), min(place + LONGEST, len(data))
    for mark in (b"\n", b"\r"):
        begin = data.rfind(mark, begin, place) + 1 or begin
        after = data.find(mark, place, end)
        end = after if after >= 0 else end
    return begin, end


def _read(
    data: bytes, begin: int, end: int, number: int
) -> tuple[Passage | None, bool]:
    """Return the passage that starts with a line, if the line, alone or with its continuation, matches a pattern.

    Also whether the line alone decided it.
    """
    if _TESTED.match(data, begin, end):
        return None, True
    line = read(data[begin:end])
    typed = len(data) <= _TYPED and not _NO_ERROR.search(data, begin, end)
    text = _QUOTES.sub("'", ESCAPED.sub("\n", line.text))  # as JSON escapes them
    asserted = _ASSERTED.match(text)
    if asserted and _fails(data, end, line.rank):
        text = f"{asserted[1]}\nAssertionError"
    quoted = _SHOWN.match(text) or _MACRO.search(text)
    found = None if quoted else recognise(text, logged=line.error or typed)
    goes_on = (
        len(text) > _WIDE
        if found is not None and found.match.values
        else _GOES_ON.search(text) is not None
    )
    if goes_on:
        found, text = _with_more(found, text, _continued(data, end, line.rank))
    if found is None:
        return None, not goes_on
    return Passage(
        found=found,
        number=number,
        line=line,
        text=text,
        data=data,
        start=begin,
        end=end,
    ), False


def _with_more(
    found: Recognised | None, text: str, lines: Iterator[str]
) -> tuple[Recognised | None, str]:
    """Return the pattern of a line, or of it with the next lines if these say more or something else."""
    joined = "\n".join((text, *lines))
    more = recognise(joined) if joined != text else found
    if more is None or joined == text:
        return more, text
    begins_here = more.match.start < len(squash(text).text)
    if begins_here and (found is None or _tells(more) > _tells(found)):
        return (more, joined)
    return (found, text)


def _tells(found: Recognised) -> tuple[bool, int, int]:
    """Return how much a message says; of equal ones the shorter text is used, as the next line may only add a digit.

    Signatures are listed on the lines after the message.
    """
    listed = len(found.message.text) if found.pattern.lists == "signatures" else 0
    return (
        not found.pattern.spoken,
        found.match.said,
        len(found.match.values) + len(found.match.words) + listed,
    )


def _continued(data: bytes, end: int, rank: str) -> Iterator[str]:
    """Yield the lines that may go on with a message: of the same rank, up to a blank one or the next traceback."""
    for count, text in enumerate(_following(data, end, rank or _next_rank(data, end))):
        low = text[:60].lower()
        if count >= _JOINED or not text or any(word in low for word in _ENDS):
            return
        yield text


def _fails(data: bytes, end: int, rank: str) -> bool:
    """Check whether the next exception is a bare AssertionError; then the assertion is the only message."""
    lines = islice(_following(data, end, rank), _JOINED)
    raised = next((text for text in lines if text.startswith("AssertionError")), "")
    return raised.rstrip(": ") == "AssertionError"


def _next_rank(data: bytes, end: int) -> str:
    """Return the rank of the next line, since pasted logs often begin after the first line's rank."""
    begin = data.find(b"\n", end, end + 2) + 1
    after = data.find(b"\n", begin, begin + LONGEST)
    line = data[begin : after if after >= 0 else begin + LONGEST] if begin else b""
    return read(line).rank


def _following(data: bytes, end: int, rank: str) -> Iterator[str]:
    return (line.text for line in _lines(data, end, rank))


def _lines(data: bytes, end: int, rank: str) -> Iterator[Line]:
    at, stop = end, min(len(data), end + AHEAD)
    while at < stop:
        at += 2 if data.startswith(b"\r\n", at) else 1
        ends = (
            data.find(b"\n", at, stop),
            data.find(b"\r", at, min(stop, at + LONGEST)),
        )
        after = min((place for place in ends if place >= 0), default=stop)
        line = read(data[at : min(after, at + LONGEST)])
        if line.rank == rank:
            yield line
        at = after
