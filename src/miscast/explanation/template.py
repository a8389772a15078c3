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
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from ..core.frozen import dataclass, field
from ..core.regex import regex
from .spelling import (
    Value,
    find_device,
    find_dtype,
    read_device,
    read_dtype,
    read_dtype_before,
)
from .squash import Normalized, compact, squash

GAP = 400
_ENOUGH = 24
"""Letters that must stand of a message that is cut short."""
_PLACES = 8
_WORD = 4
_HOLES = regex(r"\{([^{}]{1,40})\}")
_CHOICES = regex(r"\[([^\[\]]{0,400})\]")
_NUMBER = regex(r"[0-9.]{1,24}")
_NAME = regex(r"[a-z0-9_.:/<>-]{1,120}")
_SHORT_NAME = regex(r"[a-z0-9_.:<>-]{1,80}")
_LAST_NAME = regex(r"[a-z0-9_.:<>-]{1,80}\Z")


@dataclass(frozen=True, slots=True)
class _Hole:
    name: str
    kind: str


_Sequence = tuple["str | _Hole", ...]
_Found = tuple["Value | str", int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """The values that the holes of some parts of a template read, and their end."""

    at: int
    values: Mapping[str, Value] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The place where a template matched, and its values."""

    start: int
    end: int
    values: Mapping[str, Value]
    """Tensors' dtypes and devices, by operand."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Words and numbers, by name, as they stand in the message."""
    said: int = 0
    """Number of the message's letters that the template itself spells. Of two matches, the higher is more specific."""


class Template:
    """One message template. Its sequences are made when a text may be an instance of it: of most, never."""

    def __init__(self, text: str) -> None:
        """Take a template. If it is malformed, `sequences` raises ValueError."""
        self.text = text

    @cached_property
    def sequences(self) -> tuple[_Sequence, ...]:
        """The sequences without choices that it expands to, the longest first."""
        return tuple(_expand(self.text))

    @cached_property
    def anchors(self) -> tuple[str, ...]:
        """The longest literal of each sequence; a text without it cannot match the sequence."""
        return tuple(map(_anchor, self.sequences))

    @cached_property
    def key(self) -> str:
        """The longest literal that all sequences share; may be empty."""
        shared = _CHOICES.split(self.text)[::2]
        literals = (literal for part in shared for literal in _HOLES.split(part)[::2])
        return max(map(compact, literals), key=len)

    @cached_property
    def heads(self) -> frozenset[str]:
        """The beginnings of the sequences, which must be in a message that is cut short."""
        heads, growing = set(), {""}
        for choices in _choices(self.text):
            grown = {
                (head + compact(choice.partition("{")[0]), "{" in choice)
                for head, choice in itertools.product(growing, choices)
            }
            heads |= {head for head, _ in grown}
            growing = {head for head, ends in grown if not ends and len(head) < _ENOUGH}
            if not growing:
                break
        return frozenset(head[:_ENOUGH] for head in heads if len(head) >= _ENOUGH)

    @property
    def literals(self) -> frozenset[str]:
        """The literals of which one occurs in every matching text."""
        return self.heads.union((self.key,) if self.key else self.anchors)

    def match(self, message: Normalized) -> Match | None:
        """Return the first match in a message, by the sequence that says most."""
        text = message.text
        if self.key in text:
            for sequence, anchor in zip(self.sequences, self.anchors, strict=True):
                if anchor in text:
                    found = _match(sequence, message)
                    if found is not None:
                        return found
        if any(head in text for head in self.heads):
            return next(
                filter(
                    None, (_cut_short(sequence, message) for sequence in self.sequences)
                ),
                None,
            )
        return None


def _expand(text: str) -> list[_Sequence]:
    """Return every straight sequence of a template, the longest first."""
    choices = [list(map(_straight, choices)) for choices in _choices(text)]
    picked = itertools.starmap(itertools.chain, itertools.product(*choices))
    expanded = list(dict.fromkeys(map(_joined, picked)))
    if not all(len(_anchor(sequence)) >= _WORD for sequence in expanded):
        raise ValueError(f"a template needs a word to search for: {text!r}")
    return sorted(
        expanded,
        key=lambda s: -sum(len(part) if isinstance(part, str) else 1 for part in s),
    )


def _choices(text: str) -> Iterator[list[str]]:
    """Yield the alternatives of each part of a template: one of what all share, several between it."""
    for index, part in enumerate(_CHOICES.split(text)):
        yield part.split("|") if index % 2 else [part]


def _straight(text: str) -> list[str | _Hole]:
    """Return the literals and holes of a text without alternatives."""
    parts = (
        _hole(part) if index % 2 else compact(part)
        for index, part in enumerate(_HOLES.split(text))
    )
    return [part for part in parts if part]


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
    return max(
        (part for part in sequence if isinstance(part, str)), key=len, default=""
    )


def _match(sequence: _Sequence, message: Normalized) -> Match | None:
    lead = next(index for index, part in enumerate(sequence) if isinstance(part, str))
    literal = str(sequence[lead])
    for start in _places(message.text, literal):
        found = _read(sequence[lead + 1 :], message, start + len(literal))
        before = _before(sequence[:lead], message, start) if found else None
        if found and before:
            return Match(
                start=before.at,
                end=found.at,
                values={**before.values, **found.values},
                words={**found.words, **before.words},
                said=sum(len(part) for part in sequence if isinstance(part, str)),
            )
    return None


def _places(text: str, literal: str) -> Iterator[int]:
    """Yield the first few positions of a literal."""
    start = text.find(literal)
    for _ in range(_PLACES):
        if start >= 0:
            yield start
            start = text.find(literal, start + 1)


def _cut_short(sequence: _Sequence, message: Normalized) -> Match | None:
    """Return a message that ends inside the template: pasted in part, or cut by a logger."""
    text, literal = message.text, sequence[0]
    start = (
        text.rfind(literal[:_ENOUGH])
        if isinstance(literal, str) and len(literal) >= _ENOUGH
        else -1
    )
    if start < 0:
        return None
    literal = str(literal)
    if literal.startswith(text[start:]) and _Hole("", "gap") not in sequence:
        return Match(start=start, end=len(text), values={}, said=len(text) - start)
    if text.startswith(literal, start):
        return _cut_behind(literal, sequence[1:3], text, start)
    return None


def _cut_behind(literal: str, parts: _Sequence, text: str, start: int) -> Match | None:
    """Return the match of a message cut off after the first thing that it says of a tensor."""
    hole, following = parts if len(parts) == 2 else ("", "")
    if not isinstance(hole, _Hole) or hole.kind not in _OF_TENSORS:
        return None
    read = _OF_TENSORS[hole.kind](text, start + len(literal))
    if read is None or not (
        isinstance(following, str) and following.startswith(text[read[1] :])
    ):
        return None
    return Match(
        start=start, end=len(text), values={hole.name: read[0]}, said=len(literal)
    )


def _before(parts: _Sequence, message: Normalized, end: int) -> _Reading | None:
    """Read the hole right before the first literal: "{op:name}(): expected …", "{found} is not supported"."""
    hole = parts[-1] if parts else ""
    if not isinstance(hole, _Hole):
        return _Reading(at=end)
    if hole.kind == "dtype":
        read = read_dtype_before(message.text, end)
        return _Reading(at=read[1], values={hole.name: read[0]}) if read else None
    name = _LAST_NAME.search(message.text, max(0, end - 80), end)
    if name is None or len(parts) > 1 or hole.kind != "name":
        return None
    original = message.original(name.start(), end).split()[-1:]
    word = (
        message.word(end - len(squash("".join(original)).text), end) if original else ""
    )
    return _Reading(at=end - len(word), words={hole.name: word})


def _read(parts: _Sequence, message: Normalized, at: int) -> _Reading | None:
    """Read the parts from a position on, one after the other; None if one of them does not match."""
    values: dict[str, Value] = {}
    words: dict[str, str] = {}
    for part, following in itertools.zip_longest(parts, parts[1:]):
        if isinstance(part, str):
            if not message.text.startswith(part, at):
                return None
            at += len(part)
            continue
        read = _KINDS[part.kind](message, at, following)
        if read is None:
            return None
        found, at = read
        if isinstance(found, Value):
            # "{lengths:device} {lengths} tensor" is read in two parts
            values[part.name] = values.get(part.name, found).filled(found)
        elif found:
            words[part.name] = found
    return _Reading(at=at, values=values, words=words)


def _number(message: Normalized, at: int, _: str | _Hole | None) -> _Found:
    found = _NUMBER.match(message.text, at)
    return (found[0], found.end()) if found else None


def _word(message: Normalized, at: int, following: str | _Hole | None) -> _Found:
    """Read one word, up to the literal after it or the blank that was there."""
    if isinstance(following, str):
        end = message.text.find(following, at, at + GAP + len(following))
    else:
        end = _end_of_word(message, at)
    if end > at and _NAME.fullmatch(message.text, at, end):
        return (message.word(at, end), end)
    return None


def _gap(message: Normalized, at: int, following: str | _Hole | None) -> _Found:
    """Skip anything, up to what follows."""
    end: int | None
    if isinstance(following, str):
        end = message.text.find(following, at, at + GAP + len(following))
    elif following is not None:
        end = (find_device if following.kind == "device" else find_dtype)(
            message.text, at, at + GAP
        )
    else:
        end = _end_of_word(message, at)
    return None if end is None or end < 0 else ("", end)


def _end_of_word(message: Normalized, at: int) -> int:
    found = _SHORT_NAME.match(message.text, at)
    if found:
        return at + len(compact(message.original(at, found.end()).split(maxsplit=1)[0]))
    return at


_OF_TENSORS: Mapping[str, Callable[[str, int], tuple[Value, int] | None]] = {
    "dtype": read_dtype,
    "device": read_device,
}
_KINDS: Mapping[str, Callable[[Normalized, int, str | _Hole | None], _Found]] = {
    "dtype": lambda message, at, _: read_dtype(message.text, at),
    "device": lambda message, at, _: read_device(message.text, at), "int": _number, "name": _word, "gap": _gap,
}  # fmt: skip
"""Readers of a hole at a place, given the part after it. They return the value found and its end."""
