"""Message templates: what a line of data says of a message, matched in time linear in the message.

    >>> template = Template("mat1 and mat2 must have the same dtype[|, but got {mat1} and {mat2}]")
    >>> [match] = [template.match(squash("mat1 and mat2 must have the same dtype, but got Float and Half"))]
    >>> match.values["mat2"]
    Value(dtype='float16', device=None)

The language, case and blanks ignored:

    {name}         a dtype in any spelling (`spelling.py`), of the operand `name`
    {name:device}  a device           {name:int}   digits
    {name:name}    one word: an op, an argument, a kernel
    {...}          anything, up to what follows, at most 400 characters
    [a|b]          one of these; [|b] may be missing; alternatives do not nest

A template becomes a few straight sequences of literals and readers. Each is tried where its first literal stands, at
most 8 places, and every reader goes forward only: no backtracking, so a hostile line costs no more than its length.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .spelling import Value, find_device, find_dtype, read_device, read_dtype, read_dtype_before
from .squash import Squashed, compact, squash

GAP = 400
_ENOUGH = 24
"""Letters that must stand of a message that is cut short."""
_PLACES = 8
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.:-<>")
_PARTS = re.compile(r"\{([^{}]{1,40})\}|\[([^\[\]]{0,400})\]")


@dataclass(frozen=True, slots=True)
class _Hole:
    name: str
    kind: str


_Sequence = tuple["str | _Hole", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Where a template matched, and what it read."""

    start: int
    end: int
    values: Mapping[str, Value]
    """What was read of tensors, by operand."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Words and numbers, by name, as they stand in the message."""
    said: int = 0
    """How many letters of the message the template itself spells: of two matches, the higher is the more telling."""


class Template:
    """One message template, ready to match."""

    __slots__ = ("anchors", "heads", "key", "sequences", "text")

    def __init__(self, text: str) -> None:
        """Compile a template. Raises ValueError where the text is no template."""
        self.text = text
        self.sequences = tuple(_expand(text))
        self.anchors = tuple(_anchor(sequence) for sequence in self.sequences)
        """The longest literal of each sequence: where it is not in a text, the sequence cannot match."""
        self.key = max((compact(part) for part in _PARTS.sub("\0", text).split("\0")), key=len)
        """The longest literal that all sequences share; maybe empty."""
        self.heads = tuple({s[0][:_ENOUGH] for s in self.sequences if isinstance(s[0], str) and len(s[0]) >= _ENOUGH})
        """How a sequence begins: what must be there of a message that is cut short."""

    def match(self, message: Squashed) -> Match | None:
        """The first match in a message, by the sequence that says most."""
        text = message.text
        if self.key in text:
            for sequence, anchor in zip(self.sequences, self.anchors, strict=True):
                if anchor in text:
                    found = _match(sequence, message)
                    if found is not None:
                        return found
        if any(head in text for head in self.heads):
            return next(filter(None, (_cut_short(sequence, message) for sequence in self.sequences)), None)
        return None


def _expand(text: str) -> list[_Sequence]:
    """Every straight sequence of a template, the longest first."""
    choices: list[Sequence[Sequence[str | _Hole]]] = []
    at = 0
    for part in _PARTS.finditer(text):
        choices.append([_literal(text[at : part.start()])])
        if part[2] is not None:
            choices.append([_straight(option) for option in part[2].split("|")])
        else:
            choices.append([[_hole(part[1])]])
        at = part.end()
    choices.append([_literal(text[at:])])
    expanded = list(dict.fromkeys(_joined(itertools.chain(*picked)) for picked in itertools.product(*choices)))
    if not all(any(isinstance(part, str) and len(part) >= 4 for part in sequence) for sequence in expanded):
        raise ValueError(f"template without a word of its own: {text!r}")
    return sorted(expanded, key=lambda s: -sum(len(part) if isinstance(part, str) else 1 for part in s))


def _straight(text: str) -> list[str | _Hole]:
    parts: list[str | _Hole] = []
    at = 0
    for part in _PARTS.finditer(text):
        parts += [*_literal(text[at : part.start()]), _hole(part[1])]
        at = part.end()
    return [*parts, *_literal(text[at:])]


def _literal(text: str) -> list[str | _Hole]:
    squashed = compact(text)
    return [squashed] if squashed else []


def _hole(text: str) -> _Hole:
    if text == "...":
        return _Hole("", "gap")
    name, _, kind = text.partition(":")
    if kind not in ("", "device", "int", "name"):
        raise ValueError(f"unknown kind of hole: {{{text}}}")
    return _Hole(name, kind or "dtype")


def _joined(parts: itertools.chain[str | _Hole]) -> _Sequence:
    joined: list[str | _Hole] = []
    for part in parts:
        if joined and isinstance(part, str) and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)


def _anchor(sequence: _Sequence) -> str:
    return max((part for part in sequence if isinstance(part, str)), key=len)


def _match(sequence: _Sequence, message: Squashed) -> Match | None:
    text = message.text
    lead = next(index for index, part in enumerate(sequence) if isinstance(part, str))
    literal = sequence[lead]
    assert isinstance(literal, str)
    start = text.find(literal)
    for _ in range(_PLACES):
        if start < 0:
            return None
        found = _read(sequence[lead + 1 :], message, start + len(literal))
        before = _before(sequence[:lead], message, start) if found else None
        if found and before:
            values, words, end = found
            begin, earlier, names = before
            said = sum(len(part) for part in sequence if isinstance(part, str))
            return Match(start=begin, end=end, values={**earlier, **values}, words={**words, **names}, said=said)
        start = text.find(literal, start + 1)
    return None


def _cut_short(sequence: _Sequence, message: Squashed) -> Match | None:
    """A message that ends inside the template: pasted in part, or cut by a logger."""
    text, literal = message.text, sequence[0]
    if not isinstance(literal, str) or len(literal) < _ENOUGH:
        return None
    start = text.rfind(literal[:_ENOUGH])
    if start < 0:
        return None
    if literal.startswith(text[start:]) and _Hole("", "gap") not in sequence:
        return Match(start=start, end=len(text), values={}, said=len(text) - start)
    at = start + len(literal)
    hole = sequence[1] if len(sequence) > 2 else None
    if not isinstance(hole, _Hole) or hole.kind not in ("dtype", "device") or not text.startswith(literal, start):
        return None
    read = read_dtype(text, at) if hole.kind == "dtype" else read_device(text, at)
    if read is None or not (isinstance(sequence[2], str) and sequence[2].startswith(text[read[1] :])):
        return None
    return Match(start=start, end=len(text), values={hole.name: read[0]}, said=len(literal))


def _before(parts: _Sequence, message: Squashed, end: int) -> tuple[int, dict[str, Value], dict[str, str]] | None:
    """What stands right before the first literal: "{op:name}(): expected …", "{found} is not supported"."""
    if not parts:
        return end, {}, {}
    hole = parts[-1]
    assert isinstance(hole, _Hole)
    if hole.kind == "dtype":
        read = read_dtype_before(message.text, end)
        return (read[1], {hole.name: read[0]}, {}) if read else None
    start = end
    while start > 0 and end - start < 80 and message.text[start - 1] in _NAME:
        start -= 1
    if start == end or len(parts) > 1 or hole.kind != "name":
        return None
    original = message.original(start, end).split()[-1:]
    name = message.word(end - len(squash("".join(original)).text), end) if original else ""
    return end - len(name), {}, {hole.name: name}


def _read(parts: _Sequence, message: Squashed, at: int) -> tuple[dict[str, Value], dict[str, str], int] | None:
    values: dict[str, Value] = {}
    words: dict[str, str] = {}
    text = message.text
    for index, part in enumerate(parts):
        if isinstance(part, str):
            if not text.startswith(part, at):
                return None
            at += len(part)
        elif part.kind in ("dtype", "device"):
            read = read_dtype(text, at) if part.kind == "dtype" else read_device(text, at)
            if read is None:
                return None
            value, at = read
            before = values.get(part.name, value)  # "{lengths:device} {lengths} tensor" is read in two parts
            values[part.name] = Value(dtype=value.dtype or before.dtype, device=before.device or value.device)
        else:
            following = parts[index + 1] if index + 1 < len(parts) else None
            end = _end(part, following, message, at)
            if end is None:
                return None
            if part.kind != "gap":
                words[part.name] = message.word(at, end)
            at = end
    return values, words, at


def _end(hole: _Hole, following: str | _Hole | None, message: Squashed, at: int) -> int | None:
    """Where a word, a number or a gap that starts at `at` ends; None where it cannot stand there."""
    text = message.text
    if hole.kind == "int":
        end = at
        while end < len(text) and end - at < 24 and text[end] in "0123456789.":
            end += 1
        return end if end > at else None
    if isinstance(following, str):
        end = text.find(following, at, at + GAP + len(following))
        if end < 0:
            return None
    elif following is not None and hole.kind == "gap":
        find = find_device if following.kind == "device" else find_dtype
        found = find(text, at, at + GAP)
        if found is None:
            return None
        end = found
    else:
        end = at
        while end < len(text) and end - at < 80 and text[end] in _NAME:
            end += 1
        end = at + len(compact(message.original(at, end).split(maxsplit=1)[0])) if end > at else end
    if hole.kind == "name":
        word = text[at:end]
        return end if word and len(word) <= 120 and _NAME.issuperset(word) else None
    return end
