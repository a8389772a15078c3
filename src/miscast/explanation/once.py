"""Passages -> findings, each error once, with counts: logs repeat themselves, by rank, by wrapper, by summary."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..core.finding import Finding
from ..core.frozen import replace
from .assemble import NOWHERE, explain
from .pattern import patterns
from .recognise import Recognised
from .scan import Passage
from .tested import is_summary, is_tested
from .traceback import BETWEEN, RAISED

_LOOKED = 24
"""Times that one message is read with its context; further occurrences are only counted."""
_RANKS = 128
_BESIDE = 400
"""Lines between a message that is printed alone and its traceback."""
_Key = tuple[object, ...]


def explanations(passages: Iterable[Passage]) -> tuple[Finding, ...]:
    """Return the findings of the passages, in order of the first line; a repeated error occurs once."""
    errors = _Errors()
    for passage in passages:
        errors.add(passage)
    met = {finding.pattern for finding in errors.told.values()}
    led = {name for one in patterns() if one.name in met for name in one.ends}
    told = (one for one in errors.told.values() if one.pattern not in led)
    return tuple(sorted(told, key=lambda finding: finding.lines))


class _Errors:
    """The reported errors, each under its words, and its place where a traceback shows it."""

    def __init__(self) -> None:
        self.told: dict[_Key, Finding] = {}
        self.seen: dict[_Key, list[_Key]] = {}
        self.tested = False
        """True after a test was shown: the final summary repeats its error."""

    def add(self, passage: Passage) -> None:
        """Add a passage: a new error, or one that is known already."""
        self.tested = self.tested or is_tested(passage)
        if (self.tested and is_summary(passage)) or _is_source(passage):
            return
        said = _said(passage.found)
        keys = self.seen.setdefault(said, [])
        if len(keys) >= _LOOKED or (keys and _is_wrapped(passage)):
            self.told[keys[-1]] = _again(self.told[keys[-1]], passage)
            return
        finding = explain(passage)
        if finding is None:
            return
        key = self._key(said, finding, passage)
        keys.append(key)
        known = self.told.get(key)
        self.told[key] = _again(known, passage) if known else finding

    def _key(self, said: _Key, finding: Finding, passage: Passage) -> _Key:
        """Return where a finding belongs. A message is often printed alone, and once more with its traceback."""
        at, keys = finding.location, self.seen[said]
        if at == NOWHERE:
            return keys[-1] if keys else (said, None)
        key = said, (at.file, at.line, at.function)
        bare = self.told.get((said, None))
        if bare and bare.lines[1] + _BESIDE > passage.number:
            del self.told[said, None]
            self.told[key] = replace(
                finding, count=bare.count, lines=bare.lines, said_by=bare.said_by
            )
            keys[:] = [other for other in keys if other != (said, None)]
        return key


def _is_source(passage: Passage) -> bool:
    """Check whether it is the line that raises, in a traceback that ends with the same message."""
    if not passage.text.lstrip().startswith("raise "):
        return False
    match, message = passage.found.match, passage.found.message
    ended = (text for text in islice(passage.after(), 2) if text.strip(" ^~"))
    return message.original(match.start, match.end) in next(ended, "")


def _is_wrapped(passage: Passage) -> bool:
    """Check whether a message is below Python's line that its exception was raised from the one before."""
    above = islice(passage.before(), _BESIDE)
    ended = (
        text
        for text in above
        if text.endswith((*BETWEEN, "-------")) or RAISED.match(text)
    )
    return next(ended, "").endswith(BETWEEN)


def _again(finding: Finding, passage: Passage) -> Finding:
    rank, known = passage.line.rank, finding.said_by
    new = rank and rank not in known and len(known) < _RANKS
    first, last = finding.lines
    return replace(
        finding,
        count=finding.count + 1,
        said_by=(*known, rank) if new else known,
        lines=(min(first, passage.number), max(last, passage.number)),
    )


def _said(found: Recognised) -> _Key:
    """Return what makes two messages the same: all but counters and scales."""
    words = tuple(
        (name, word)
        for name, word in sorted(found.match.words.items())
        if not word[:1].isdigit()
    )
    return (
        found.pattern.name,
        tuple(sorted(found.match.values.items(), key=lambda item: item[0])),
        words,
    )
